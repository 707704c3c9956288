import AnabranchSQLite

extension Store {
    /// Removes the stamps of removed saves that no row, link or deferred value names any more.
    ///
    /// Every row is read once, in a read transaction; other writers wait for one of the short
    /// transactions only, each of which rewrites some 1000 stamps without the removed ones. If
    /// another transaction may have named one of the stamps meanwhile, or a row is damaged, the
    /// rest stays.
    ///
    /// - Returns: The number of removed stamps.
    /// - Throws: ``StoreError``; what was removed by then stays removed.
    @discardableResult
    package func removeUnusedStamps() throws -> Int {
        guard !options.isReadOnly else { return 0 }
        var count = 0
        var first: Int64 = 0
        while true {
            let sweep = try read { reader in
                try StoreError.unlessDamaged { try StampSweep(reader, after: first) }
            }
            guard let sweep else { return count }
            guard let last = sweep.last else {
                try sweep.finish(in: self)
                return count
            }
            guard let removed = try sweep.removeUnnamed(in: self) else {
                try sweep.giveUp(in: self)
                return count
            }
            count += removed
            first = last
        }
    }

    /// True if the stamps that saves have left since the last sweep may take a thirty-second of the
    /// file.
    ///
    /// So a sweep reads few rows for each removed save, and the stamps of a small file stay few.
    /// The file must have room for the stamps between two sweeps.
    func mayRemoveStamps() throws -> Bool {
        try read { reader in
            let added = try StampCounters(connection: reader.connection).added()
            guard added >= Self.leastAddedStamps else { return false }
            return try Int(added) * Self.bytesOfStamp >= reader.byteCount() / 32
        }
    }

    private static let leastAddedStamps: Int64 = 10_000
    /// The bytes that a stamp takes in its table and its index.
    private static let bytesOfStamp = 45
}

extension StoreReader {
    /// The size of the file in bytes.
    func byteCount() throws -> Int {
        guard case .integer(let pages)? = try connection.firstValue("PRAGMA page_count"),
            case .integer(let size)? = try connection.firstValue("PRAGMA page_size")
        else { return 0 }
        return Int(pages * size)
    }
}
