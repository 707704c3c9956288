package import AnabranchReplication
import AnabranchSQLite

/// The table `ab_part`: parts of saves, each in pieces one behind the other.
///
/// Of a part that is coming from a zone there is a beginning, which later pieces continue, across
/// restarts. What is there whole was compared with its digest (invariant 19): the claimed size is
/// part of the key, so that no other claim can make a beginning pass for the whole. A part that two
/// saves list is there once.
struct PartTable: PartKeeping {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// Bytes of one row: what a part is served and fetched by.
    static let pieceBytes = 1 << 20

    /// How much of a part is here, from its beginning on.
    func heldBytes(of part: SavePart) throws -> Int { try extent(of: part).end }

    /// Where the last piece of a part ends, and how many bytes all pieces have: fewer where one in
    /// between was lost.
    private func extent(of part: SavePart) throws -> (end: Int, byteCount: Int) {
        let statement = try connection.cached(
            """
            SELECT coalesce(max(start + length(bytes)), 0), coalesce(sum(length(bytes)), 0)
            FROM ab_part WHERE digest = ? AND size = ?
            """)
        try statement.bind(part)
        guard try statement.step() else { return (0, 0) }
        defer { statement.reset() }
        return (Int(statement.int64(at: 0)), Int(statement.int64(at: 1)))
    }

    func isWhole(_ part: SavePart) throws -> Bool {
        try extent(of: part) == (part.byteCount, part.byteCount)
    }

    /// The first of a set's parts that is not here whole, and how much of it is here.
    func lacking(_ set: ChangeSet) throws -> LackingPart? {
        for part in try set.parts() {
            let held = try heldBytes(of: part)
            if held != part.byteCount { return LackingPart(part: part, heldBytes: held) }
        }
        return nil
    }

    /// Whether the bytes are those that the part is named by.
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

    /// Throws `corrupt` where bytes are missing, at the end or in between.
    func checkIsWhole(_ part: SavePart) throws {
        let extent = try extent(of: part)
        let held = min(extent.end, extent.byteCount)
        guard extent == (part.byteCount, part.byteCount) else { throw lacking(held, of: part) }
    }

    /// Of what is here, in order, each behind the one before it.
    func forEachPiece(of part: SavePart, _ body: ([UInt8]) throws -> Void) throws {
        let statement = try connection.cached(
            "SELECT start, bytes FROM ab_part WHERE digest = ? AND size = ? ORDER BY start")
        try statement.bind(part)
        // A body that throws leaves no statement under way.
        defer { statement.reset() }
        var place = 0
        while try statement.step() {
            guard Int(statement.int64(at: 0)) == place else { throw lacking(place, of: part) }
            let bytes = statement.bytes(at: 1)
            place += bytes.count
            try body(bytes)
        }
    }

    /// Pieces that go to somebody else, who could read none of it if a single byte were another.
    ///
    /// - Throws: `corrupt` behind the last piece where the bytes are not those that were saved.
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
            "Can't read a part of a save because \(held) of its \(part.byteCount) bytes are here.",
            path: connection.path)
    }

    /// The bytes of a part from a place on, as many as a piece has.
    func piece(of part: SavePart, from start: Int) throws -> [UInt8] {
        let statement = try connection.cached(
            """
            SELECT start, bytes FROM ab_part WHERE digest = ? AND size = ? AND start <= ?
            ORDER BY start DESC LIMIT 1
            """)
        try statement.bind(part)
        try statement.bind(Int64(start), at: 3)
        guard try statement.step() else { return [] }
        defer { statement.reset() }
        return Array(statement.bytes(at: 1).dropFirst(start - Int(statement.int64(at: 0))))
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

    /// Takes in a piece that continues what is here; one that does not changes nothing.
    ///
    /// - Throws: `digestMismatch` where the part is whole now and not what its digest says. The
    ///   caller's transaction ends without an error then, so that the part goes.
    /// - Returns: Whether the part turned out to be another, and is gone.
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

    private func insert(
        _ piece: UnsafeRawBufferPointer, of part: SavePart, at start: Int
    ) throws {
        let statement = try connection.cached(
            "INSERT INTO ab_part (digest, size, start, bytes) VALUES (?, ?, ?, ?)")
        try statement.bind(part)
        try statement.bind(Int64(start), at: 3)
        try statement.unsafeBindBlob(piece, at: 4)
        try statement.run()
    }

    private func remove(_ part: SavePart) throws {
        let statement = try connection.cached("DELETE FROM ab_part WHERE digest = ? AND size = ?")
        try statement.bind(part)
        try statement.run()
    }

    /// Of all parts of saves that the zone is not known to hold.
    func pendingBytes() throws -> Int {
        let lists = try connection.cached(
            """
            SELECT payload FROM ab_changeset
            WHERE kind = \(LogEntryKind.saveInParts.rawValue) AND server_position IS NULL
            """)
        var byteCount = 0
        while try lists.step() {
            byteCount += try PartList(decoding: lists.bytes(at: 0)).byteCount
        }
        return byteCount
    }

    // MARK: - What nothing needs

    /// Removes the parts that no save of the file lists any more: of the log, of the waiting room,
    /// of the rejected ones. What was fetched for a page that never came is among them.
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

extension Statement {
    fileprivate func bind(_ part: SavePart) throws {
        try bind(part.digest.bytes, at: 1)
        try bind(Int64(part.byteCount), at: 2)
    }
}

/// A part that has to be fetched before a save can be applied.
package struct LackingPart: Hashable, Sendable {
    package let part: SavePart
    /// From its beginning on, these many bytes are here.
    package let heldBytes: Int

    package init(part: SavePart, heldBytes: Int) {
        self.part = part
        self.heldBytes = heldBytes
    }
}
