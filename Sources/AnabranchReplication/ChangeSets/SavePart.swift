/// One part of a save that is larger than one change set should be: an encoded
/// ``ChangePayload``, kept and carried apart from the set and named by its digest.
public struct SavePart: Hashable, Sendable {
    public let digest: Digest
    /// From 1 to ``Limits/largestPart``.
    public let byteCount: Int

    public init(digest: Digest, byteCount: Int) {
        self.digest = digest
        self.byteCount = byteCount
    }

    public init(of bytes: [UInt8]) { self.init(of: ByteWriter(bytes)) }

    public init(of writer: ByteWriter) {
        self.init(digest: Digest(of: writer), byteCount: writer.count)
    }
}

/// The payload of a save in parts (``LogEntryKind/saveInParts``): its parts, in the order in which
/// they take effect.
///
/// The set's digest covers this list and so every byte of the parts. Whoever has the list and all
/// parts has the save, in whatever order and from wherever they came; whoever lacks one has
/// nothing that could be taken for the save.
public struct PartList: Hashable, Sendable {
    public static let version: UInt64 = 1

    /// Not empty.
    public let parts: [SavePart]

    public init(_ parts: [SavePart]) { self.parts = parts }

    public var byteCount: Int { parts.reduce(0) { $0 + $1.byteCount } }

    public func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: parts.count * 38 + 8)
        writer.append(varint: Self.version)
        writer.append(count: parts.count)
        for part in parts {
            writer.append(digest: part.digest)
            writer.append(count: part.byteCount)
        }
        return writer.bytes
    }

    public init(decoding bytes: [UInt8]) throws(ChangeSetDecodingError) {
        var reader = ByteReader(bytes)
        let version = try reader.readVarint()
        guard version == Self.version else {
            throw reader.failure(
                .unsupportedVersion, "version \(version) of lists of parts is not known here")
        }
        let count = try reader.readCount(ofAtLeast: Digest.byteCount + 1)
        guard (1...Limits.mostParts).contains(count) else {
            throw reader.failure(.limitExceeded, "a save has \(count) parts")
        }
        var parts: [SavePart] = []
        for _ in 0..<count {
            let digest = try reader.readDigest()
            let size = try reader.readVarint()
            guard size > 0, size <= UInt64(Limits.largestPart) else {
                throw reader.failure(.limitExceeded, "a part of \(size) bytes can't be")
            }
            parts.append(SavePart(digest: digest, byteCount: Int(size)))
        }
        try reader.expectEnd()
        self.parts = parts
    }
}

/// Where the parts of saves can be read.
public protocol PartReading {
    /// - Throws: Where the part is not there whole.
    func bytes(of part: SavePart) throws -> [UInt8]
}

/// Where the parts of saves are kept.
public protocol PartKeeping: PartReading {
    /// Keeps the bytes of a part, once.
    func keep(_ bytes: ByteWriter) throws -> SavePart
}

extension ChangeSet {
    /// The parts that the set's payload lists; none where the payload says everything itself.
    public func parts() throws(ChangeSetDecodingError) -> [SavePart] {
        kind == .saveInParts ? try PartList(decoding: payload).parts : []
    }

    /// Bytes of all that was saved, in parts or not.
    public var savedBytes: Int {
        guard kind == .saveInParts, let list = try? PartList(decoding: payload) else {
            return payload.count
        }
        return list.byteCount
    }

    /// Goes through what the set changes, with no more than one part in memory, and not the bytes
    /// of a part any more where its last block is gone through.
    ///
    /// - Parameter parts: Not asked where the set has no parts.
    public func forEachBlock(
        _ parts: some PartReading, _ body: (ChangeBlock) throws -> Void
    ) throws {
        if kind == .save {
            var decoder = try ChangePayloadDecoder(payload, author: dot.replica)
            while let block = try decoder.next() { try body(block) }
        }
        for part in try self.parts() {
            // Nobody but the decoder holds them, so that it can let go of them.
            var decoder = try ChangePayloadDecoder(parts.bytes(of: part), author: dot.replica)
            while let block = try decoder.next() { try body(block) }
        }
    }

    /// Every record that the set does something to, some more than once.
    public func forEachTouchedRecord(
        _ parts: some PartReading, _ body: (RecordID) throws -> Void
    ) throws {
        try forEachBlock(parts) { try $0.touchedRecords.forEach(body) }
    }
}
