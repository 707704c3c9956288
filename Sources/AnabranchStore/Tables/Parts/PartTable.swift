package import AnabranchReplication
import AnabranchSQLite

/// The table `ab_part`: parts of saves, each stored as consecutive pieces.
///
/// A part that is being fetched from a zone has a beginning, which later pieces continue, also
/// after a restart. A whole part was compared with its digest (invariant 19). The claimed size is
/// part of the key, so a beginning cannot pass for the whole under another claim. A part that two
/// saves list is stored once.
struct PartTable: PartStore {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// The size of one row in bytes; parts are also sent and fetched in pieces of this size.
    static let pieceBytes = 1 << 20

    /// The number of bytes held of a part, from its beginning.
    func heldBytes(of part: SavePart) throws -> Int { try extent(of: part).end }

    /// The end of a part's last piece, and the number of bytes in all pieces. The number is smaller
    /// than the end if a piece between is missing.
    private func extent(of part: SavePart) throws -> (end: Int, byteCount: Int) {
        try connection.cached(
            """
            SELECT coalesce(max(start + length(bytes)), 0), coalesce(sum(length(bytes)), 0)
            FROM ab_part WHERE digest = ? AND size = ?
            """, part.columns
        ).first { (Int(try $0.amount(at: 0)), Int(try $0.amount(at: 1))) } ?? (0, 0)
    }

    func isWhole(_ part: SavePart) throws -> Bool {
        try extent(of: part) == (part.byteCount, part.byteCount)
    }

    /// The first part of a change set that is not held whole, with the number of bytes held.
    func lacking(_ set: ChangeSet) throws -> LackingPart? {
        for part in try set.parts() {
            let held = try heldBytes(of: part)
            if held != part.byteCount { return LackingPart(part: part, heldBytes: held) }
        }
        return nil
    }

    /// True if the part is whole and its bytes have the part's digest.
    func isRight(_ part: SavePart) throws -> Bool {
        guard try isWhole(part) else { return false }
        var digest = DigestBuilder()
        try forEachPiece(of: part) { digest.update($0) }
        return digest.finish() == part.digest
    }

    func bytes(of part: SavePart) throws -> [UInt8] {
        try checkIsWhole(part)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(part.byteCount)
        try forEachPiece(of: part) { bytes += $0 }
        guard bytes.count == part.byteCount else { throw lacking(bytes.count, of: part) }
        return bytes
    }

    /// Throws `corrupt` if bytes are missing, at the end or between pieces.
    func checkIsWhole(_ part: SavePart) throws {
        let extent = try extent(of: part)
        let held = min(extent.end, extent.byteCount)
        guard extent == (part.byteCount, part.byteCount) else { throw lacking(held, of: part) }
    }

    /// Calls the body for each held piece in order.
    func forEachPiece(of part: SavePart, _ body: ([UInt8]) throws -> Void) throws {
        let statement = try connection.cached(
            "SELECT start, bytes FROM ab_part WHERE digest = ? AND size = ? ORDER BY start",
            part.columns)
        var place = 0
        while try statement.step() {
            guard statement.int64(at: 0) == place else { throw lacking(place, of: part) }
            let bytes = statement.bytes(at: 1)
            place += bytes.count
            try body(bytes)
        }
    }

    /// Calls the body for each piece of a part that is sent to another store or zone, and checks
    /// the digest. A single wrong byte would make the whole part undecodable there.
    ///
    /// - Throws: `corrupt`, after the last piece, if the bytes are not those that were saved.
    func forEachRightPiece(of part: SavePart, _ body: ([UInt8]) throws -> Void) throws {
        var digest = DigestBuilder()
        try forEachPiece(of: part) { piece in
            digest.update(piece)
            try body(piece)
        }
        guard digest.finish() == part.digest else {
            throw StoreError(
                .corrupt,
                "Can't read a part of a save because its bytes are not those that were saved.",
                path: connection.path)
        }
    }

    private func lacking(_ held: Int, of part: SavePart) -> StoreError {
        StoreError(
            .corrupt,
            "Can't read a part of a save because only \(held) of its \(part.byteCount) bytes are "
                + "stored.",
            path: connection.path)
    }

    /// The bytes of a part from an offset to the end of the piece there.
    func piece(of part: SavePart, from start: Int) throws -> [UInt8] {
        let statement = try connection.cached(
            """
            SELECT start, bytes FROM ab_part WHERE digest = ? AND size = ? AND start <= ?
            ORDER BY start DESC LIMIT 1
            """, part.columns, Int64(start))
        guard try statement.step() else { return [] }
        let offset = start - Int(try statement.amount(at: 0))
        return Array(statement.bytes(at: 1).dropFirst(max(offset, 0)))
    }

    func keep(_ bytes: ByteWriter) throws -> SavePart {
        let part = SavePart(of: bytes)
        guard try !isWhole(part) else { return part }
        try remove(part)
        var start = 0
        try bytes.forEachPiece(of: Self.pieceBytes) { piece in
            try insert(piece, of: part, at: start)
            start += piece.count
        }
        return part
    }

    /// Stores a piece that continues the bytes held. Any other piece changes nothing.
    ///
    /// If the part is whole now but has another digest, it is removed. The caller must let its
    /// transaction commit, so that the removal stays.
    ///
    /// - Returns: True if the part had another digest and was removed.
    func take(_ piece: [UInt8], of part: SavePart, at start: Int) throws -> Bool {
        guard try heldBytes(of: part) == start, !piece.isEmpty,
            piece.count <= part.byteCount - start
        else { return false }
        try piece.withUnsafeBytes { try insert($0, of: part, at: start) }
        guard start + piece.count == part.byteCount else { return false }
        guard try !isRight(part) else { return false }
        try remove(part)
        return true
    }

    private func insert(_ piece: UnsafeRawBufferPointer, of part: SavePart, at start: Int) throws {
        let statement = try connection.cached(
            "INSERT INTO ab_part (digest, size, start, bytes) VALUES (?, ?, ?, ?)", part.columns,
            Int64(start))
        try statement.unsafeBindBlob(piece, at: 4)
        try statement.run()
    }

    private func remove(_ part: SavePart) throws {
        try connection.cached("DELETE FROM ab_part WHERE digest = ? AND size = ?", part.columns)
            .run()
    }

    /// The total size in bytes of all parts of saves that the zone is not known to hold.
    func pendingBytes() throws -> Int {
        let lists = try connection.cached(
            """
            SELECT payload FROM ab_changeset
            WHERE kind = \(LogEntryKind.saveInParts.rawValue) AND \(ChangeLog.isUnplaced)
            """)
        var byteCount = 0
        while try lists.step() {
            byteCount += try PartList(decoding: lists.bytes(at: 0)).byteCount
        }
        return byteCount
    }

    /// The total size in bytes of the parts that the saves after a position of the log list.
    func listedBytes(after position: Int64) throws -> Int {
        let lists = try connection.cached(
            """
            SELECT payload FROM ab_changeset
            WHERE kind = \(LogEntryKind.saveInParts.rawValue) AND position > ?
            """, position)
        var byteCount = 0
        while try lists.step() {
            byteCount += try PartList(decoding: lists.bytes(at: 0)).byteCount
        }
        return byteCount
    }

    // MARK: - Unused parts

    /// Removes the parts that no save of the file lists any more. Saves in the log, change sets
    /// that wait and rejected saves count. Parts that were fetched for a page that never came are
    /// removed too.
    func removeUnused() throws {
        guard try connection.firstValue("SELECT 1 FROM ab_part LIMIT 1") != nil else { return }
        var used: Set<SavePart> = []
        let lists = try connection.cached(
            "SELECT payload FROM ab_changeset WHERE kind = \(LogEntryKind.saveInParts.rawValue)")
        while try lists.step() {
            used.formUnion(try PartList(decoding: lists.bytes(at: 0)).parts)
        }
        for sql in ["SELECT bytes FROM ab_waiting", "SELECT change_set FROM ab_rejected"] {
            let sets = try connection.cached(sql)
            while try sets.step() {
                let set = try ChangeSet(decoding: sets.bytes(at: 0))
                used.formUnion(try set.parts())
            }
        }
        let held = try connection.rows("SELECT DISTINCT digest, size FROM ab_part")
        for row in held {
            guard case .blob(let bytes) = row[0], case .integer(let size) = row[1],
                let digest = Digest(bytes: bytes)
            else { continue }
            let part = SavePart(digest: digest, byteCount: Int(size))
            if !used.contains(part) { try remove(part) }
        }
    }
}

/// The columns with the digest and the size of a part.
private struct PartColumns: StatementParameter {
    let part: SavePart

    func bind(to statement: Statement, at index: inout Int) throws {
        try part.digest.bytes.bind(to: statement, at: &index)
        try Int64(part.byteCount).bind(to: statement, at: &index)
    }
}

extension SavePart {
    fileprivate var columns: PartColumns { PartColumns(part: self) }
}

/// A part that must be fetched before a save can be applied.
package struct LackingPart: Hashable, Sendable {
    package let part: SavePart
    /// The number of bytes held, from the part's beginning.
    package let heldBytes: Int

    package init(part: SavePart, heldBytes: Int) {
        self.part = part
        self.heldBytes = heldBytes
    }
}

/// The parts that a store keeps, read on demand.
struct StoredParts: PartReading, Sendable {
    private let store: Store

    init(_ store: Store) { self.store = store }

    func bytes(of part: SavePart) throws -> [UInt8] {
        try store.read { try PartTable($0.connection).bytes(of: part) }
    }
}

extension WriteTransaction {
    /// The records that a change set changes.
    func touched(by set: ChangeSet) throws -> Set<LocalID> {
        var touched: Set<LocalID> = []
        try set.forEachTouchedRecord(PartTable(connection)) { touched.insert(try localID(of: $0)) }
        return touched
    }
}
