import AnabranchProtocol
import AnabranchReplication

// Saves behind a refused one can make room for it: the user of a full zone deletes something on the
// device with the save that waits, and saves are pushed in their order.
extension PushProcessor {
    /// Takes a refused save together with those after it, up to the first with which the zone is
    /// within its quotas again.
    ///
    /// - Parameters:
    ///   - sets: The refused save and those after it in the request.
    ///   - refusal: The refusal.
    ///
    /// - Returns: The acknowledgements; empty if the saves do not make enough room. Then nothing
    ///   has changed.
    func takeTogether(
        _ sets: ArraySlice<IncomingChangeSet>, after refusal: ProtocolError,
        into writer: ZoneDraft, _ log: inout LogState, now: Int64, _ check: QuotaCheck
    ) throws -> [PushResponse.Acknowledgement] {
        guard refusal.code == .quotaExceeded else { return [] }
        let taken = try takeTogether(sets, into: writer, after: &log, now: now, check)
        if taken.isEmpty { metrics.quotaRefusals.add(1, refusal.details["quota"] ?? "") }
        return taken
    }

    private func takeTogether(
        _ sets: ArraySlice<IncomingChangeSet>, into writer: ZoneDraft,
        after log: inout LogState, now: Int64, _ check: QuotaCheck
    ) throws -> [PushResponse.Acknowledgement] {
        guard sets.dropFirst().contains(where: \.deletes) else { return [] }
        let (start, amount) = (writer.use(), writer.changedAmount)
        var reached = log
        do {
            let taken = try writer.atomically {
                var taken: [PushResponse.Acknowledgement] = []
                for incoming in sets {
                    guard writer.changedAmount - amount <= Self.mostChanged else { throw NoRoom() }
                    taken.append(
                        try takeInGroup(incoming, into: writer, after: &reached, now: now, check))
                    guard taken.count > 1, incoming.deletes else { continue }
                    let refusal = check.refusal(from: start, to: writer.use(), of: "saves")
                    if refusal == nil { return taken }
                }
                throw NoRoom()
            }
            log = reached
            return taken
        } catch is NoRoom {
            return []
        }
    }

    /// The saves of a group do not make enough room, or one of them is refused.
    private struct NoRoom: Error {}

    private func takeInGroup(
        _ incoming: IncomingChangeSet, into writer: ZoneDraft, after log: inout LogState,
        now: Int64, _ check: QuotaCheck
    ) throws -> PushResponse.Acknowledgement {
        let changeSet = incoming.changeSet
        do {
            let verdict = try PushCheck(
                writer: writer, log: log, limits: limits, wallMilliseconds: now
            ).verdict(on: changeSet)
            guard case .new = verdict, changeSet.kind != .saveInParts else { throw NoRoom() }
            let (kept, bytes) = try keptForm(of: incoming)
            let cursor = log.head.advanced(over: kept)
            try write(kept, bytes, at: cursor, to: writer, today: check.today, in: incoming.room)
            return advance(&log, to: cursor, by: kept)
        } catch is ProtocolError {
            throw NoRoom()
        } catch is ChangeSetDecodingError {
            throw NoRoom()
        } catch let error as StorageError where PushFailure(error) != nil {
            throw NoRoom()
        }
    }

    /// The form in which the log gets a save: the save itself, or the void of a rejected one.
    private func keptForm(
        of incoming: IncomingChangeSet
    ) throws -> (changeSet: ChangeSet, bytes: [UInt8]) {
        let changeSet = incoming.changeSet
        var rejection = incoming.rejection
        if rejection == nil, needsVerdict { rejection = try incoming.rejectionByHook() }
        if rejection == nil, changeSet.kind == .save {
            rejection = try validation?.rejection(changeSet, zone)
        }
        guard let rejection else { return (changeSet, incoming.bytes) }
        let void = ChangeSet(voiding: changeSet, for: rejection)
        return (void, void.encoded())
    }
}
