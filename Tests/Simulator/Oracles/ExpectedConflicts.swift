package import AnabranchReplication
package import AnabranchStore

/// The entries that a conflict journal must have and the entries that it must not have.
///
/// Whatever the order of arrival, a journal has each value that was overwritten, or deleted with
/// its record, by saves whose authors had not seen it. A journal has no value that lost to a write
/// whose author had seen the value.
///
/// The records, references and times of an expected entry are the final ones, after every rename,
/// restamp and rejection. Two kinds of values are not expected. A counter loses nothing except with
/// its record. What was written to a record that a rejected save had inserted is kept with that
/// save. If a later author had seen the value, the journal may have it or not: the order of arrival
/// decides which write it lost to.
package struct ExpectedConflicts {
    package struct Loss: Hashable {
        let record: RecordID
        let property: WireProperty
        let value: PropertyValue
        let stamp: Stamp

        package init(record: RecordID, property: WireProperty, value: PropertyValue, stamp: Stamp) {
            self.record = record
            self.property = property
            self.value = value
            self.stamp = stamp
        }
    }

    /// One discarded value and the saves that it lost to.
    private struct Account {
        let loss: Loss
        let origin: Digest
        /// The saves that overwrote the value, deleted its record, or wrote a value that it wins
        /// against.
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
                append(
                    Loss(
                        record: register.record, property: register.property,
                        value: write.value, stamp: write.stamp), write.origin, others)
            }
        }
        // The table of rejected saves has the links to a record that a rejected save had inserted.
        for (name, adds) in state.adds
        where state.entities[name.left] != nil && state.entities[name.right] != nil {
            let deleters =
                (state.deleters[name.left] ?? []) + (state.deleters[name.right] ?? [])
            for add in adds where !deleters.isEmpty {
                guard state.removedTags[name]?.contains(add.tag) != true,
                    try isUnseen(add.origin, by: deleters, history)
                else { continue }
                append(
                    Loss(
                        record: name.left, property: name.property,
                        value: .reference(name.right), stamp: add.tag), add.origin, deleters)
            }
        }
    }

    private mutating func append(_ loss: Loss, _ origin: Digest, _ others: [Digest]) {
        accounts.append(Account(loss: loss, origin: origin, others: others))
    }

    package var losses: Set<Loss> { Set(accounts.map(\.loss)) }

    /// Returns the losses that a journal must have if its file loaded some change sets in a
    /// snapshot.
    ///
    /// A snapshot is merged already. The journal therefore has only values of later change sets
    /// that lost to other later change sets. Their author must have seen every change set of the
    /// snapshot that also wrote or deleted the property.
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

    /// Returns whether no other write has the same value: two equal writes lose nothing to each
    /// other.
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

    /// Returns whether the author of the winning write had seen the discarded value, when the edit
    /// was made.
    ///
    /// A file does not know the positions or the causal contexts of change sets that it loaded in a
    /// snapshot. A replica that loaded such a change set does not name it after the zone has lost
    /// it. Such entries are not judged.
    private func wasSeenByWinner(_ entry: ConflictEntry, _ loaded: Set<Digest>) throws -> Bool {
        let register = IntendedState.Register(record: entry.record, property: entry.property)
        func author(_ write: ConflictEntry.Write?) -> Digest? {
            writes[register]?.first { $0.stamp == write?.stamp }?.origin
        }
        guard entry.kind == .concurrentWrite, let loser = author(entry.lost),
            let winner = author(entry.winner), loser != winner,
            loaded.isDisjoint(with: [loser, winner])
                || entry.winner?.stamp.replica == entry.lost.stamp.replica
        else { return false }
        return try !history.isGone(loser) && history.hadSeen(loser, editing: winner)
    }

    /// Checks one conflict journal.
    ///
    /// - Parameters:
    ///   - loaded: Origins of the change sets that the file loaded in a snapshot.
    ///   - hasLosses: Whether change sets were declared lost. A replica that comes back with one
    ///     pushes it under another name, which the change sets after it do not refer to.
    ///   - merging: The entities with unique keys. An author may hold a value of such a record, and
    ///     not be shown it.
    /// - Throws: ``SimulationFailure`` for a missing or a forbidden entry.
    package func check(
        _ journal: [ConflictEntry], loaded: Set<Digest> = [], hasLosses: Bool = false,
        merging: Set<String> = [], in place: String
    ) throws {
        let judged = journal.filter { !$0.mayHaveBeenHidden(merging) }
        if !hasLosses, let entry = try judged.first(where: { try wasSeenByWinner($0, loaded) }) {
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
        // A journal lists a write of a former property under the property that shows it.
        let missing = try losses(onTopOf: loaded).subtracting(noted).filter { loss in
            !journal.contains { $0.shows(loss) }
        }
        guard let first = missing.min(by: { "\($0)" < "\($1)" }) else { return }
        throw SimulationFailure(
            "the journal of \(place) lacks \(missing.count) discarded values, among them \(first)")
    }
}

extension ConflictEntry {
    /// Returns whether a view rule may have hidden the value from the author of the winning write,
    /// who had its change set. The store's tests of hidden values have these cases.
    fileprivate func mayHaveBeenHidden(_ merging: Set<String>) -> Bool {
        property.rule == .keepBoth || ListEntry.target(of: value) != nil
            || merging.contains(entity)
    }

    /// Returns whether the entry has a discarded write of a former property, converted.
    fileprivate func shows(_ loss: ExpectedConflicts.Loss) -> Bool {
        record == loss.record && lost.stamp == loss.stamp && property.name == loss.property.name
            && property.shown(loss.value, of: loss.property, in: record) == value
    }
}

extension MergeRule {
    /// Whether the rule loses the writes that do not win. `max` and `min` do not: the greatest or
    /// least value is what the app asked for.
    fileprivate var loses: Bool { self != .max && self != .min }
}
