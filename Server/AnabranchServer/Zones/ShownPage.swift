import AnabranchProtocol
import AnabranchReplication

/// A place in a push up to which its saves were shown to the operator's hook.
struct ShownPlace: Hashable, Sendable {
    /// The number of the change set in the request, from 0.
    var changeSet = 0
    /// The number of the part of that change set, from 0.
    var part = 0
}

/// The saves and parts of a push that are shown to the operator's hook in one call.
///
/// A save is shown if the log does not hold it and the zone does not reject it itself. The zone may
/// still refuse it, for example because it lacks an earlier save of the same replica.
struct ShownPage: Sendable {
    struct Entry: Sendable {
        /// The number of the change set in the request, from 0.
        let number: Int
        /// False if further parts of the save follow.
        let isLast: Bool
        let changeSet: ShownChangeSet
    }

    private(set) var shown: [Entry] = []
    /// The saves with a part that can't be decoded, which are rejected.
    private(set) var undecodable: [Int: Rejection] = [:]
    /// The place at which the next page begins; behind the last change set if none follows.
    private(set) var end: ShownPlace
    /// The number of further bytes of the page.
    private var room: Int

    /// Reads the saves from a place on, until their bytes exceed the limit of a request body.
    init(
        of job: PushJob, from start: ShownPlace, _ reader: any ZoneReading, limits: ZoneLimits
    ) throws {
        end = start
        room = limits.bodyBytes
        guard try reader.logState().head.epoch == job.epoch else {
            end.changeSet = job.changeSets.count
            return
        }
        while end.changeSet < job.changeSets.count {
            let incoming = job.changeSets[end.changeSet]
            if try incoming.isShown(reader) {
                let parts = try incoming.changeSet.parts()
                guard try ZoneParts(reader).holdsAll(parts) else {
                    // The push ends here, because the zone lacks a part.
                    end.changeSet = job.changeSets.count
                    return
                }
                let isComplete =
                    parts.isEmpty
                    ? try show(incoming.changeSet)
                    : try show(parts, of: incoming.changeSet, ZoneParts(reader))
                guard isComplete else { return }
            }
            end = ShownPlace(changeSet: end.changeSet + 1)
        }
    }

    /// Adds a save that is not in parts.
    ///
    /// - Returns: False if the page has no room for it.
    private mutating func show(_ changeSet: ChangeSet) throws -> Bool {
        guard take(changeSet.payload.count) else { return false }
        let blocks = try changeSet.decodedPayload().blocks
        shown.append(
            Entry(
                number: end.changeSet, isLast: true,
                changeSet: ShownChangeSet(changeSet, blocks: blocks)))
        return true
    }

    /// Adds the parts of a save from the present one on.
    ///
    /// - Returns: False if the page has no room for all of them.
    private mutating func show(
        _ parts: [SavePart], of changeSet: ChangeSet, _ reader: ZoneParts
    ) throws -> Bool {
        while end.part < parts.count {
            let part = parts[end.part]
            guard take(part.byteCount) else { return false }
            do {
                let payload = try ChangePayload(
                    decoding: try reader.bytes(of: part), author: changeSet.dot.replica)
                for block in payload.blocks { try IncomingChangeSet.checkIsKnown(block) }
                shown.append(
                    Entry(
                        number: end.changeSet, isLast: end.part == parts.count - 1,
                        changeSet: ShownChangeSet(
                            changeSet, part: (end.part + 1, parts.count), blocks: payload.blocks)))
            } catch let error as ChangeSetDecodingError {
                undecodable[end.changeSet] = PushFailure.rejection(error, in: changeSet.dot)
                return true
            }
            end.part += 1
        }
        return true
    }

    /// Takes room for bytes; a page has at least one save or part.
    private mutating func take(_ byteCount: Int) -> Bool {
        guard byteCount <= room || shown.isEmpty else { return false }
        room -= byteCount
        return true
    }
}

extension IncomingChangeSet {
    fileprivate func isShown(_ reader: any ZoneReading) throws -> Bool {
        guard changeSet.kind.isSave, rejection == nil, verdict == nil else { return false }
        return try reader.place(ofOrigin: changeSet.origin) == nil
    }
}

extension ZoneParts {
    fileprivate func holdsAll(_ parts: [SavePart]) throws -> Bool {
        try parts.allSatisfy { try reader.heldBytes(of: $0) == $0.byteCount }
    }
}
