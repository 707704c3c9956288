import AnabranchProtocol
import AnabranchReplication

/// The parts of saves that a zone holds, in its log or staged.
struct ZoneParts: PartReading {
    let reader: any ZoneReading

    init(_ reader: any ZoneReading) { self.reader = reader }

    func bytes(of part: SavePart) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(part.byteCount, Limits.largestPart))
        try reader.forEachPiece(of: part) { bytes += $0 }
        guard bytes.count == part.byteCount else {
            throw StorageError(
                .damaged,
                "Can't read a part of a save because \(bytes.count) of its \(part.byteCount) "
                    + "bytes are here.")
        }
        return bytes
    }

    /// Checks that all parts of a change set are held completely.
    ///
    /// - Throws: `missingParts` with the first part that is not.
    func checkAll(of changeSet: ChangeSet, _ parts: [SavePart]) throws {
        for (number, part) in parts.enumerated() {
            let held = try reader.heldBytes(of: part)
            guard held != part.byteCount else { continue }
            var details = changeSet.dot.details
            details["part"] = "\(number)"
            details["held"] = "\(held)"
            throw ProtocolError(
                .missingParts,
                "Can't accept change set \(changeSet.dot) because \(held) of \(part.byteCount) "
                    + "bytes of its part \(number) are here: stage the rest, then push it again.",
                details: details)
        }
    }
}

extension ChangeSet {
    /// A part of the save as a save of its own, for rules that check saves.
    func part(saying payload: [UInt8]) -> ChangeSet {
        ChangeSet(
            fromLog: .save, dot: dot, timestamp: timestamp, author: author, name: name,
            payload: payload, rewrittenFrom: rewrittenFrom, previousOrigin: previousOrigin,
            origin: origin, digest: digest, context: context)
    }
}
