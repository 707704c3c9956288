import AnabranchProtocol
import AnabranchReplication

/// A pushed change set, checked as far as it can be without the log.
struct IncomingChangeSet: Sendable {
    let changeSet: ChangeSet
    let bytes: [UInt8]
    /// The reason why it becomes a void, unless the log already holds it.
    let rejection: SaveRejection?
    /// True if the save deletes records.
    let deletes: Bool
    /// True if the save does nothing but delete records and the links of records.
    let isDeleting: Bool

    /// Quantities that may exceed their quota a little: a save that only deletes is the way to make
    /// room.
    var favouredQuotas: Set<ZoneQuotas.Quantity> { isDeleting ? [.bytes] : [] }

    /// The memory for its values; `nil` for no limit.
    let room: DecodingRoom?
    /// The verdict of the operator's hook; `nil` if the hook was not asked.
    var verdict: ValidationVerdict?

    /// Decodes a change set.
    ///
    /// - Parameters:
    ///   - room: The memory for it and for its values; `nil` for no limit.
    ///   - needs: Receives the parts of the zone that its check and its merge read.
    ///
    /// - Throws: `invalidChangeSet` or `unsupportedVersion`; the author of such bytes is unknown.
    ///   `overloaded` if there is too little memory for it or for the values.
    init(
        decoding bytes: [UInt8], limits: ZoneLimits, checkingDigest: Bool,
        in room: DecodingRoom? = nil, adding needs: inout ZoneNeeds
    ) throws(ProtocolError) {
        self.bytes = bytes
        self.room = room
        do throws(ChangeSetDecodingError) {
            changeSet = try ChangeSet(
                decoding: bytes, checkingDigest: checkingDigest,
                reserving: room?.reserve(changeSetWithCauses:))
        } catch {
            if let refusal = room?.refusal(of: error) { throw refusal }
            throw PushFailure.refusal(error)
        }
        needs.add(checkOf: changeSet)
        var contents = Contents()
        let ofSize =
            changeSet.kind.isSave
            ? PushFailure.rejection(ofSize: bytes.count, of: changeSet, limits) : nil
        rejection =
            if let ofSize {
                ofSize
            } else {
                try Self.rejection(of: changeSet, &contents, room, &needs)
            }
        deletes = contents.deletes
        isDeleting = contents.deletes && !contents.writes
    }

    /// The kinds of changes in the blocks of a save.
    private struct Contents {
        var deletes = false
        var writes = false

        mutating func add(_ block: ChangeBlock) {
            switch block {
            case .delete, .yieldingDelete: deletes = true
            case .unlink: break
            case .insert, .update, .add, .write, .link, .move, .unknown: writes = true
            }
        }
    }

    private static func rejection(
        of changeSet: ChangeSet, _ contents: inout Contents, _ room: DecodingRoom?,
        _ needs: inout ZoneNeeds
    ) throws(ProtocolError) -> SaveRejection? {
        guard changeSet.kind == .save else { return nil }
        do throws(ChangeSetDecodingError) {
            try checkPayload(of: changeSet, &contents, room, &needs)
            return nil
        } catch {
            if let refusal = room?.refusal(of: error) { throw refusal }
            return PushFailure.rejection(error, in: changeSet.dot)
        }
    }

    /// Decodes the payload block by block, so that only one block is in memory.
    private static func checkPayload(
        of changeSet: ChangeSet, _ contents: inout Contents, _ room: DecodingRoom?,
        _ needs: inout ZoneNeeds
    ) throws(ChangeSetDecodingError) {
        var decoder = try ChangePayloadDecoder(
            changeSet.payload, author: changeSet.dot.replica, reserving: room?.reserve(byteCount:))
        while let block = try decoder.next() {
            try checkIsKnown(block)
            contents.add(block)
            needs.add(block)
        }
    }

    static func checkIsKnown(_ block: ChangeBlock) throws(ChangeSetDecodingError) {
        guard let unknown = block.unknownRule else { return }
        throw ChangeSetDecodingError(
            code: .unsupportedVersion, offset: 0, cause: "\(unknown) is not known here")
    }
}

extension Dot {
    /// The details that name this dot in errors of the protocol.
    var details: [String: String] {
        ["replica": replica.description, "sequence": "\(sequence)"]
    }
}

extension ZoneNeeds {
    /// Adds the places of the log that ``PushCheck`` looks up.
    fileprivate mutating func add(checkOf changeSet: ChangeSet) {
        replicas.append(changeSet.dot.replica)
        origins.append(changeSet.origin)
        if changeSet.rewrittenFrom != nil { origins.append(changeSet.previousOrigin) }
        dots += changeSet.context.beyond.prefix(Self.causeLimit).lazy.map(\.dot)
        dots.append(changeSet.dot)
        dots += [changeSet.dot, changeSet.rewrittenFrom].compactMap { $0?.predecessor }
    }

    /// Adds the records that a block changes.
    fileprivate mutating func add(_ block: ChangeBlock) {
        switch block {
        case .insert(let rows), .update(let rows), .add(let rows): add(rows.records)
        case .write(let siblings): add(siblings.writes.lazy.map(\.record))
        case .delete(let records): add(records.records)
        case .yieldingDelete(let deletes): add(deletes.deletes.lazy.map(\.record))
        case .link(let links), .unlink(let links), .move(let links):
            add(links.links.lazy.flatMap { [$0.left, $0.right] })
        case .unknown: break
        }
    }
}
