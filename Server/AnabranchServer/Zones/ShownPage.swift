import AnabranchProtocol
import AnabranchReplication

/// A place in a push up to which its saves were shown to the operator's hook.
struct ShownPlace: Hashable, Sendable {
    /// The number of the change set in the request, from 0.
    var changeSet = 0
    /// The number of the part of that change set, from 0.
    var part = 0
    /// The parts of that change set, if `part` is not the first: they are decoded once.
    var parts: [SavePart] = []
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
    }

    /// The saves and parts in the order in which the hook's request has them.
    private(set) var shown: [Entry] = []
    var request: ValidationRequest
    /// The saves that can't be shown, which are rejected: a part can't be decoded, or a save or
    /// part is larger in the hook's form than any request may be.
    private(set) var rejected: [Int: SaveRejection] = [:]
    /// The place at which the next page begins; behind the last change set if none follows.
    private(set) var end: ShownPlace
    /// The greatest number of bytes of the saves, and of the request.
    private let limit: Int
    /// The number of further bytes of the saves.
    private var rest: Int
    /// The memory for the request; `nil` for no limit.
    private let room: DecodingRoom?

    /// Reads the saves from a place on, until their bytes, or those of the request for the hook,
    /// exceed the limit of a request body.
    ///
    /// - Parameter room: The memory for the request; `nil` for no limit.
    ///
    /// - Throws: `overloaded` if there is too little memory now.
    init(
        of job: PushJob, from start: ShownPlace, _ reader: any ZoneReading, limits: ZoneLimits,
        _ request: ValidationRequest, in room: DecodingRoom?
    ) throws {
        self.request = request
        self.room = room
        end = start
        limit = limits.bodyBytes
        rest = limit
        guard try reader.logState().head.epoch == job.epoch else {
            end.changeSet = job.changeSets.count
            return
        }
        while end.changeSet < job.changeSets.count {
            let incoming = job.changeSets[end.changeSet]
            if try incoming.isShown(reader) {
                let parts = end.part > 0 ? end.parts : try incoming.changeSet.parts()
                end.parts = parts
                // The parts are looked for once, and not for each page of them.
                guard try end.part > 0 || ZoneParts(reader).holdsAll(parts) else {
                    // The push ends here, because the zone lacks a part.
                    end.changeSet = job.changeSets.count
                    return
                }
                try incoming.room?.reserve(forPartsOf: parts)
                let isComplete =
                    parts.isEmpty
                    ? try show(incoming) : try show(parts, of: incoming, ZoneParts(reader))
                guard isComplete else { return }
            }
            end = ShownPlace(changeSet: end.changeSet + 1)
        }
    }

    /// Adds a save that is not in parts.
    ///
    /// - Returns: False if the page has no room for it.
    private mutating func show(_ incoming: IncomingChangeSet) throws -> Bool {
        guard take(incoming.changeSet.payload.count) else { return false }
        return try append(incoming.changeSet.payload, of: incoming)
    }

    /// Adds the parts of a save from the present one on.
    ///
    /// - Returns: False if the page has no room for all of them.
    private mutating func show(
        _ parts: [SavePart], of incoming: IncomingChangeSet, _ reader: ZoneParts
    ) throws -> Bool {
        while end.part < parts.count {
            let part = parts[end.part]
            guard try end.part == 0 || reader.holdsAll([part]) else {
                // It was dropped between two pages, so the push ends here.
                end = ShownPlace(changeSet: .max)
                return false
            }
            guard take(part.byteCount),
                try append(
                    try reader.bytes(of: part), of: incoming, part: (end.part + 1, parts.count))
            else { return false }
            guard rejected[end.changeSet] == nil else { return true }
            end.part += 1
        }
        return true
    }

    /// Adds a payload to the request, or rejects its save.
    ///
    /// - Returns: False if there is no memory for it beside the saves before it.
    private mutating func append(
        _ payload: [UInt8], of incoming: IncomingChangeSet, part: (number: Int, count: Int)? = nil
    ) throws -> Bool {
        let changeSet = incoming.changeSet
        do {
            try request.append(changeSet, part: part) { json in
                var decoder = try ChangePayloadDecoder(
                    payload, author: changeSet.dot.replica,
                    reserving: incoming.room?.reserve(byteCount:))
                while let block = try decoder.next() {
                    try IncomingChangeSet.checkIsKnown(block)
                    try json.append(block)
                }
            }
            let isLast = part.map { $0.number == $0.count } ?? true
            shown.append(Entry(number: end.changeSet, isLast: isLast))
        } catch let error as ChangeSetDecodingError {
            if let refusal = incoming.room?.refusal(of: error) { throw refusal }
            rejected[end.changeSet] = PushFailure.rejection(error, in: changeSet.dot)
        } catch is ShownJSON.NoRoom {
            guard shown.isEmpty else { return false }
            guard room?.isBeyondLimit ?? false else { throw RequestMemory.isShort }
            rejected[end.changeSet] = PushFailure.rejection(tooLargeToShow: changeSet.dot)
        }
        return true
    }

    /// Takes room for bytes; a page has at least one save or part.
    private mutating func take(_ byteCount: Int) -> Bool {
        guard byteCount <= rest && request.byteCount < limit || shown.isEmpty else { return false }
        rest -= byteCount
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
