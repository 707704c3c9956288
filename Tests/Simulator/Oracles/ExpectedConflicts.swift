package import AnabranchReplication
package import AnabranchStore

/// What every journal must have at least, in whatever order the sets came: values that nobody had
/// seen who wrote over them or deleted their record. And what no journal may have: values that were
/// lost to a write whose author had seen them.
///
/// Records, references and times are the last that they have got, whatever was renamed, restamped
/// or rejected meanwhile. Left out are counters, where nothing is lost but with the record, and
/// what was done to records that a rejected save had inserted: that is kept with the save. A value
/// that some later author had seen may be in a journal or not, because it depends on the order of
/// arrival whether it was lost to him or to another.
package struct ExpectedConflicts {
    package struct Loss: Hashable {
        let record: RecordID
        let property: WireProperty
        let value: Value
        let stamp: Stamp

        package init(record: RecordID, property: WireProperty, value: Value, stamp: Stamp) {
            self.record = record
            self.property = property
            self.value = value
            self.stamp = stamp
        }
    }

    /// One way in which a value was lost.
    private struct Account {
        let loss: Loss
        let origin: Digest
        /// Who wrote over it or deleted its record, or wrote beneath it.
        let others: [Digest]
    }

    private var accounts: [Account] = []
    private let writes: [IntendedState.Register: [IntendedState.Write]]
    private let history: SaveHistory

    package init(of state: IntendedState, _ history: SaveHistory) throws {
        self.history = history
        writes = state.writes
        for (register, writes) in state.writes where register.property.rule != .counter {
            let deleters = state.deleters[register.record] ?? []
            for write in writes where isUnlike(write, the: writes) {
                let others = writes.map(\.origin).filter { $0 != write.origin } + deleters
                guard try isUnseen(write.origin, by: others, history) else { continue }
                let stands = state.standing(register, among: writes).contains {
                    $0.stamp == write.stamp
                }
                guard
                    deleters.isEmpty
                        ? !stands && register.property.rule.loses
                        : stands || register.property.rule.loses
                else { continue }
                note(
                    Loss(
                        record: register.record, property: register.property,
                        value: write.value, stamp: write.stamp), write.origin, others)
            }
        }
        // What led to a record that a rejected save had inserted is in the table of those.
        for (name, adds) in state.adds
        where state.entities[name.left] != nil && state.entities[name.right] != nil {
            let deleters =
                (state.deleters[name.left] ?? []) + (state.deleters[name.right] ?? [])
            for add in adds where !deleters.isEmpty {
                guard state.removedTags[name]?.contains(add.tag) != true,
                    try isUnseen(add.origin, by: deleters, history)
                else { continue }
                note(
                    Loss(
                        record: name.left, property: name.property,
                        value: .reference(name.right), stamp: add.tag), add.origin, deleters)
            }
        }
    }

    private mutating func note(_ loss: Loss, _ origin: Digest, _ others: [Digest]) {
        accounts.append(Account(loss: loss, origin: origin, others: others))
    }

    package var losses: Set<Loss> { Set(accounts.map(\.loss)) }

    /// What a journal must have whose file has some sets by a snapshot, which is merged already:
    /// what was lost between sets that came on top of it, over what their authors had seen of it.
    private func losses(onTopOf loaded: Set<Digest>) throws -> Set<Loss> {
        guard !loaded.isEmpty else { return losses }
        let told = try accounts.filter { account in
            guard !loaded.contains(account.origin) else { return false }
            let seen = try history.save(account.origin).seen
            return try account.others.allSatisfy { other in
                try !loaded.contains(other) || seen.contains(history.save(other).number)
            } && !loaded.isSuperset(of: account.others)
        }
        return Set(told.map(\.loss))
    }

    /// Two who write the same lose nothing to each other.
    private func isUnlike(
        _ write: IntendedState.Write, the writes: [IntendedState.Write]
    ) -> Bool {
        writes.allSatisfy { $0.origin == write.origin || $0.value != write.value }
    }

    private func isUnseen(
        _ origin: Digest, by others: [Digest], _ history: SaveHistory
    ) throws -> Bool {
        let number = try history.save(origin).number
        return try others.allSatisfy { try !history.save($0).seen.contains(number) }
    }

    /// Of what a snapshot stands for, a file knows neither the place nor who knew of it; and who
    /// had by a snapshot what the zone has lost, does not say so.
    private func wasSeenByWinner(_ entry: Conflict, _ loaded: Set<Digest>) throws -> Bool {
        let register = IntendedState.Register(record: entry.record, property: entry.property)
        func author(_ write: Conflict.Write?) -> Digest? {
            writes[register]?.first { $0.stamp == write?.stamp }?.origin
        }
        guard entry.kind == .concurrentWrite, let loser = author(entry.lost),
            let winner = author(entry.winner), loser != winner,
            loaded.isDisjoint(with: [loser, winner])
                || entry.winner?.stamp.replica == entry.lost.stamp.replica
        else { return false }
        let number = try history.save(loser).number
        return try !history.gone.contains(number) && history.save(winner).seen.contains(number)
    }

    /// - Parameters:
    ///   - loaded: Origins of the sets that the file has by a snapshot.
    ///   - hasLosses: Whether sets were declared lost: who comes back with one brings it under a
    ///     name that what follows it does not say.
    package func check(
        _ journal: [Conflict], loaded: Set<Digest> = [], hasLosses: Bool = false, in place: String
    ) throws {
        if !hasLosses, let entry = try journal.first(where: { try wasSeenByWinner($0, loaded) }) {
            throw SimulationFailure(
                "the journal of \(place) has \(entry.value) of \(entry.record), lost to a write "
                    + "whose author had seen it")
        }
        let noted = Set(
            journal.map {
                Loss(
                    record: $0.record, property: $0.property, value: $0.value,
                    stamp: $0.lost.stamp)
            })
        let missing = try losses(onTopOf: loaded).subtracting(noted)
        guard let first = missing.min(by: { "\($0)" < "\($1)" }) else { return }
        throw SimulationFailure(
            "the journal of \(place) lacks \(missing.count) lost values, among them \(first)")
    }
}

extension MergeRule {
    /// Whether a write that does not stay is lost: the greatest of all is what `max` is for.
    fileprivate var loses: Bool { self != .max && self != .min }
}
