import AnabranchProtocol
import AnabranchReplication

// Change sets that are taken together need one savepoint for all of them.
extension PushProcessor {
    /// Takes all change sets of a request, if the zone holds none of them and nothing is wrong with
    /// any of them.
    ///
    /// - Returns: The acknowledgements; `nil` if the change sets have to be taken one by one. Then
    ///   nothing has changed.
    func takeAll(
        _ sets: ArraySlice<IncomingChangeSet>, into writer: any ZoneWriting,
        _ log: inout LogState, now: Int64, _ check: QuotaCheck
    ) throws -> [PushResponse.Acknowledgement]? {
        guard sets.count > 1 else { return nil }
        return try together(after: &log, in: writer) { reached in
            let start = try writer.use()
            let taken = try sets.map {
                try takeInGroup($0, into: writer, after: &reached, now: now, check)
            }
            let refusal = check.refusal(from: start, to: try writer.use(), of: "saves")
            return refusal == nil ? taken : nil
        }
    }

    // Saves behind a refused one can make room for it: the user of a full zone deletes something on
    // the device with the save that waits, and saves are pushed in their order.

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
        into writer: any ZoneWriting, _ log: inout LogState, now: Int64, _ check: QuotaCheck?
    ) throws -> [PushResponse.Acknowledgement] {
        guard refusal.code == .quotaExceeded, let check else { return [] }
        let taken = try takeTogether(sets, into: writer, after: &log, now: now, check)
        if taken.isEmpty { metrics.quotaRefusals.add(1, refusal.details["quota"] ?? "") }
        return taken
    }

    private func takeTogether(
        _ sets: ArraySlice<IncomingChangeSet>, into writer: any ZoneWriting,
        after log: inout LogState, now: Int64, _ check: QuotaCheck
    ) throws -> [PushResponse.Acknowledgement] {
        guard sets.dropFirst().contains(where: \.deletes) else { return [] }
        let taken = try together(after: &log, in: writer) { reached in
            let start = try writer.use()
            var taken: [PushResponse.Acknowledgement] = []
            for incoming in sets {
                taken.append(
                    try takeInGroup(incoming, into: writer, after: &reached, now: now, check))
                guard taken.count > 1, incoming.deletes else { continue }
                let refusal = check.refusal(from: start, to: try writer.use(), of: "saves")
                if refusal == nil { return taken }
            }
            return nil
        }
        return taken ?? []
    }

    /// Runs a closure that takes all change sets of a group, or none of them if it returns `nil`.
    private func together(
        after log: inout LogState, in writer: any ZoneWriting,
        _ take: (inout LogState) throws -> [PushResponse.Acknowledgement]?
    ) throws -> [PushResponse.Acknowledgement]? {
        var reached = log
        do {
            let taken = try writer.atomically {
                guard let taken = try take(&reached) else { throw NoGroup() }
                return taken
            }
            log = reached
            return taken
        } catch is NoGroup {
            return nil
        }
    }

    /// The saves of a group do not make enough room, or one of them can't be taken in a group.
    private struct NoGroup: Error {}

    private func takeInGroup(
        _ incoming: IncomingChangeSet, into writer: any ZoneWriting, after log: inout LogState,
        now: Int64, _ check: QuotaCheck
    ) throws -> PushResponse.Acknowledgement {
        let changeSet = incoming.changeSet
        do {
            let verdict = try PushCheck(
                writer: writer, log: log, limits: limits, wallMilliseconds: now,
                disabled: disabled
            ).verdict(on: changeSet)
            guard case .new = verdict, changeSet.kind != .saveInParts else { throw NoGroup() }
            let (kept, bytes) = try keptForm(of: incoming)
            let cursor = log.head.advanced(over: kept)
            try write(kept, bytes, at: cursor, to: writer, today: check.today, in: incoming.room)
            return advance(&log, to: cursor, by: kept)
        } catch is ProtocolError {
            throw NoGroup()
        } catch is ChangeSetDecodingError {
            throw NoGroup()
        } catch let error as StorageError where PushFailure(error) != nil {
            throw NoGroup()
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
