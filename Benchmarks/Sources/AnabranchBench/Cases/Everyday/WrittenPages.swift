import CRawSQLite
import Foundation

/// What saves write to a file and to its write-ahead log.
struct WrittenPages {
    private let path: String

    init(_ path: String) { self.path = path }

    /// A page with its header in the write-ahead log.
    private static let frameBytes = 4096 + 24
    private static let saves = 100

    /// The number of pages that half of the saves write to the log at most. Others fill a page, so
    /// that SQLite begins another one.
    func pagesEach(_ side: some EverydaySide, _ operation: EverydayOperation) throws -> Double {
        let log = URL(fileURLWithPath: path + "-wal")
        // Before this the log may be used again from its beginning, which does not lengthen it.
        try checkpoint()
        _ = try side.times(of: operation, 0..<1)
        var pages: [Int] = []
        for turn in 1...Self.saves {
            let before = try log.byteCount()
            _ = try side.times(of: operation, turn..<turn + 1)
            pages.append((try log.byteCount() - before) / Self.frameBytes)
        }
        return Double(pages.sorted()[Self.saves / 2])
    }

    /// Moves all pages into the file and empties the log.
    private func checkpoint() throws {
        try RawDatabase(path: path).run("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// The bytes of all pages in use.
    func usedBytes() throws -> Int64 {
        let database = try RawDatabase(path: path)
        let pages = try database.number("PRAGMA page_count")
        return (pages - (try database.number("PRAGMA freelist_count"))) * 4096
    }
}

extension URL {
    fileprivate func byteCount() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.size] as? Int) ?? 0
    }
}
