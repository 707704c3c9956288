package import AnabranchReplication
import AnabranchSQLite

extension Store {
    /// The first part of a page's saves that must be fetched before the page can be applied.
    package func lackingPart(of page: RemotePage) throws -> LackingPart? {
        let sets = page.changeSets.filter { $0.kind == .saveInParts }
        guard !sets.isEmpty, Mechanism.partStaging.isOn else { return nil }
        return try read { reader in
            let parts = PartTable(reader.connection)
            for set in sets {
                if let lacking = try parts.lacking(set) { return lacking }
            }
            return nil
        }
    }

    /// Stores a piece of a part that is being fetched. It stays even if the rest does not arrive.
    ///
    /// - Throws: ``StoreError`` `digestMismatch` if the part is whole now but its digest is wrong.
    ///   The part is removed; fetch it again.
    package func keep(_ piece: [UInt8], of part: SavePart, at start: Int) throws {
        let isAnother = try write { transaction in
            try PartTable(transaction.connection).take(piece, of: part, at: start)
        }
        guard !isAnother else {
            throw StoreError(
                .digestMismatch,
                "Can't keep a part of a save because its bytes are not those that were saved.",
                path: path)
        }
    }

    /// The next piece to send of a save with parts that a zone lacks.
    ///
    /// - Returns: The bytes of the part from an offset; `nil` if the file's log no longer has the
    ///   save, or not in this form.
    package func piece(
        of set: ChangeSet, part number: Int, from start: Int, byteLimit: Int
    ) throws -> PartPiece? {
        let parts = try StoreError.translating("read", path: path) { try set.parts() }
        guard parts.indices.contains(number), (0..<parts[number].byteCount).contains(start) else {
            return nil
        }
        return try read { reader in
            let bytes = try PartTable(reader.connection).piece(of: parts[number], from: start)
            guard !bytes.isEmpty else { return nil }
            return PartPiece(
                part: parts[number], number: number, start: start,
                bytes: Array(bytes.prefix(byteLimit)))
        }
    }

    /// Calls the body for every block of a save.
    ///
    /// - Throws: ``StoreError``; `corrupt` if the save can't be decoded, or if a part is missing.
    package func forEachBlock(
        of set: ChangeSet, _ body: (ChangeBlock) throws -> Void
    ) throws {
        try read { reader in try set.forEachBlock(PartTable(reader.connection), body) }
    }
}

/// Some bytes of a part, to be sent.
package struct PartPiece: Hashable, Sendable {
    package let part: SavePart
    /// The index of the part among those of its save.
    package let number: Int
    package let start: Int
    package let bytes: [UInt8]

    package init(part: SavePart, number: Int, start: Int, bytes: [UInt8]) {
        self.part = part
        self.number = number
        self.start = start
        self.bytes = bytes
    }
}
