/// The name of one part of a save that is too large for one change set.
///
/// A part is an encoded ``ChangePayload``. It is stored and transferred apart from the change set,
/// and named by its digest.
package struct SavePart: Hashable, Sendable {
    /// The digest of the part's bytes.
    package let digest: Digest
    /// The length of the part, from 1 to ``Limits/largestPart``.
    package let byteCount: Int

    package init(digest: Digest, byteCount: Int) {
        self.digest = digest
        self.byteCount = byteCount
    }

    package init(of bytes: [UInt8]) { self.init(of: ByteWriter(bytes)) }

    /// Creates the name of a part from encoded bytes, without copying large values.
    package init(of writer: ByteWriter) {
        self.init(digest: Digest(of: writer), byteCount: writer.count)
    }
}

/// The payload of a save in parts (``LogEntryKind/saveInParts``): its parts, in the order in which
/// they take effect.
///
/// The digest of the change set covers this list, and so every byte of the parts. A program that
/// has the list and all parts has the save, no matter where the parts came from. If a part is
/// missing, no other bytes can be mistaken for it.
package struct PartList: Hashable, Sendable {
    /// The version of the list's format.
    package static let version: UInt64 = 1

    /// The parts; never empty.
    package let parts: [SavePart]

    /// Creates a list of at least one part.
    package init(_ parts: [SavePart]) { self.parts = parts }

    /// The number of bytes of all parts together.
    package var byteCount: Int { parts.reduce(0) { $0 + $1.byteCount } }

    /// Encodes the list as the payload of a change set.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: parts.count * 38 + 8)
        writer.append(varint: Self.version)
        writer.append(count: parts.count)
        for part in parts {
            writer.append(digest: part.digest)
            writer.append(count: part.byteCount)
        }
        return writer.bytes
    }

    /// Decodes the payload of a save in parts.
    ///
    /// - Throws: ``ChangeSetDecodingError`` with the offset of the first byte that could not be
    ///   read, or if a part or the number of parts exceeds ``Limits``.
    package init(decoding bytes: [UInt8]) throws(ChangeSetDecodingError) {
        var reader = ByteReader(bytes)
        let version = try reader.readVarint()
        guard version == Self.version else {
            throw reader.failure(
                .unsupportedVersion,
                "this version does not know version \(version) of lists of parts")
        }
        let count = try reader.readCount(ofAtLeast: Digest.byteCount + 1)
        guard (1...Limits.maximumParts).contains(count) else {
            throw reader.failure(
                .limitExceeded, "a save has \(count) parts, not 1 to \(Limits.maximumParts)")
        }
        var parts: [SavePart] = []
        for _ in 0..<count {
            let digest = try reader.readDigest()
            let size = try reader.readVarint()
            guard size > 0, size <= UInt64(Limits.largestPart) else {
                throw reader.failure(
                    .limitExceeded, "a part has \(size) bytes, not 1 to \(Limits.largestPart)")
            }
            parts.append(SavePart(digest: digest, byteCount: Int(size)))
        }
        try reader.expectEnd()
        self.parts = parts
    }
}

/// A source of the bytes of parts, such as a store's table of parts.
package protocol PartReading {
    /// Returns the bytes of a part.
    ///
    /// - Throws: An error if the part is missing or incomplete.
    func bytes(of part: SavePart) throws -> [UInt8]
}

/// A place that stores the parts of saves.
package protocol PartStore: PartReading {
    /// Stores the bytes of a part, unless they are stored already.
    ///
    /// - Returns: The name of the part.
    func keep(_ bytes: ByteWriter) throws -> SavePart
}

extension ChangeSet {
    /// The parts that the payload lists. Empty unless the change set is a save in parts.
    ///
    /// - Throws: ``ChangeSetDecodingError`` if the list can't be read.
    package func parts() throws(ChangeSetDecodingError) -> [SavePart] {
        kind == .saveInParts ? try PartList(decoding: payload).parts : []
    }

    /// The number of bytes of all changes of the save, whether in parts or not.
    package var savedBytes: Int {
        guard kind == .saveInParts, let list = try? PartList(decoding: payload) else {
            return payload.count
        }
        return list.byteCount
    }

    /// Passes every block of the save to a closure.
    ///
    /// At most one part is in memory at a time. The bytes of a part are released before its last
    /// block is passed.
    ///
    /// - Parameter parts: The source of the parts; unused if the save has none.
    /// - Throws: ``ChangeSetDecodingError`` for a damaged payload, or the error of `parts` or
    ///   `body`.
    package func forEachBlock(
        _ parts: some PartReading, reserving reserve: (@Sendable (Int) -> Bool)? = nil,
        _ body: (ChangeBlock) throws -> Void
    ) throws {
        if kind == .save {
            var decoder = try ChangePayloadDecoder(payload, author: dot.replica, reserving: reserve)
            while let block = try decoder.next() { try body(block) }
        }
        for part in try self.parts() {
            // Only the decoder holds the bytes, so it can release them.
            var decoder = try ChangePayloadDecoder(
                parts.bytes(of: part), author: dot.replica, reserving: reserve)
            while let block = try decoder.next() { try body(block) }
        }
    }

    /// Passes every record that the save changes to a closure, some records more than once.
    package func forEachTouchedRecord(
        _ parts: some PartReading, _ body: (RecordID) throws -> Void
    ) throws {
        try forEachBlock(parts) { try $0.touchedRecords.forEach(body) }
    }
}
