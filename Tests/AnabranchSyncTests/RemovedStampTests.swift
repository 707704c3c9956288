import AnabranchReplication
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@testable import AnabranchStore

/// The stamps of removed saves, which stay only as long as something names them.
@Suite struct `The stamps of removed saves` {
    let world: RestoredZone
    let store: Store
    var names: SmallModel { world.scenario.names }

    init() throws {
        world = try RestoredZone()
        store = try world.scenario.open("a.db")
    }

    /// Saves and syncs as many ages of one person, and trims the log.
    private func age(_ count: Int) async throws {
        for age in 0..<count {
            try store.setAge(Int64(age), of: "one", names)
            try await world.sync(store)
        }
        try store.trimLog(to: LogRetention(byteCount: 0, leastAge: .seconds(-10_000 * 86_400)))
    }

    private func stampCount() throws -> Int {
        try store.read {
            guard
                case .integer(let count)? = try $0.connection.firstValue(
                    "SELECT count(*) FROM ab_stamp")
            else { return 0 }
            return Int(count)
        }
    }

    @Test func `go when nothing names them`() async throws {
        try store.insert("one", names)
        try await age(40)
        let hash = try store.canonicalHash()
        let before = try stampCount()
        #expect(before == 40)
        let removed = try store.removeUnusedStamps()
        // The insert is named by the row and is the first save; the last update is in the log.
        #expect(try stampCount() == before - removed)
        #expect(removed == 38)
        #expect(try store.removeUnusedStamps() == 0)
        #expect(try store.canonicalHash() == hash)
        try await age(3)
        let other = try world.scenario.open("b.db")
        try await world.sync(other)
        #expect(try store.canonicalHash() == other.canonicalHash())
    }

    @Test func `stay as long as a row, a link or a deferred value names them`() async throws {
        try store.insert("one", names)
        try store.insert("two", names)
        try await age(10)
        try store.write { transaction in
            try transaction.connection.execute(
                """
                INSERT INTO ab_deferred_cell (record, name, type, rule, value, hlc, by)
                SELECT 1, 'later', 4, 1, x'00', hlc, replica FROM ab_stamp WHERE position = 5;
                INSERT INTO ab_deferred_link (name, type, rule, left, right, tag, tag_by)
                SELECT 'friends', 14, 6, 1, 2, hlc, replica FROM ab_stamp WHERE position = 6;
                """)
        }
        try store.removeUnusedStamps()
        let left = try store.read { reader in
            let statement = try reader.connection.prepare(
                "SELECT position FROM ab_stamp ORDER BY position")
            var positions: [Int64] = []
            while try statement.step() { positions.append(statement.int64(at: 0)) }
            return positions
        }
        #expect(left == [1, 2, 5, 6, 11])
    }

    @Test func `stay when a transaction has found one of them by its time`() async throws {
        try store.insert("one", names)
        try await age(10)
        let sweep = try store.read { try StampSweep($0) }
        try store.write { transaction in
            let stamp = try transaction.logStamps[4]
            transaction.logStamps.forget()
            #expect(try transaction.logStamps.position(of: stamp) == 4)
        }
        let before = try stampCount()
        #expect(try sweep.removeUnnamed(in: store) == nil)
        #expect(try stampCount() == before)
        // The next sweep sees what is named now.
        #expect(try store.removeUnusedStamps() == 8)
    }

    @Test func `are swept in more than one pass`() async throws {
        try store.insert("one", names)
        try await age(12)
        var first: Int64 = 0
        var removed = 0
        while let last = try store.read({ try StampSweep($0, after: first, limit: 5).last }) {
            let sweep = try store.read { try StampSweep($0, after: first, limit: 5) }
            removed += try #require(try sweep.removeUnnamed(in: store))
            first = last
        }
        #expect(removed == 10)
    }

    @Test func `leave pages that are full again`() throws {
        try store.insert("one", names)
        // Of 20,000 stamps every second is named, so that each page loses half of its rows.
        try store.write { transaction in
            try transaction.connection.execute(
                """
                INSERT INTO ab_stamp (position, replica, hlc, seq, server_position, author)
                WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 20098)
                SELECT i, 0, (1 << 50) + (i << 20), i, nullif(i, 102), iif(i % 7 = 0, 3, NULL)
                FROM n;
                INSERT INTO ab_deferred_cell (record, name, type, rule, value, hlc, by)
                SELECT 1, 'later', 4, 9, x'00', hlc, replica FROM ab_stamp WHERE position % 2 = 0;
                """)
        }
        let kept = try stampRows(where: "position % 2 = 0")
        try store.removeUnusedStamps()
        #expect(try stampRows(where: "position >= 100") == kept)
        let pages = try usedPageCount()
        try store.withWriter { try $0.execute("VACUUM") }
        #expect(Double(pages) < 1.15 * Double(try usedPageCount()))
    }

    /// Another process may remove saves from the log meanwhile: a few, or more than a transaction
    /// of the sweep inserts again.
    @Test(arguments: [1, 5000])
    func `stay if they were added after the rows were read`(count: Int) async throws {
        try store.insert("one", names)
        try await age(10)
        // One more unnamed stamp is so far behind the others that there is room between them.
        try store.write { transaction in
            try transaction.connection.execute(
                "INSERT INTO ab_stamp (position, replica, hlc, seq) VALUES (9000, 0, 1 << 40, 9)")
        }
        let sweep = try store.read { try StampSweep($0) }
        try store.write { transaction in
            try transaction.connection.execute(
                """
                INSERT INTO ab_stamp (position, replica, hlc, seq, server_position)
                WITH RECURSIVE n (i) AS (SELECT 20 UNION ALL SELECT i + 1 FROM n
                    WHERE i < 19 + \(count))
                SELECT i, 1, (1 << 50) + i, i, i FROM n;
                """)
        }
        let added = try stampRows(where: "position BETWEEN 20 AND 8999")
        #expect(added.count == count)
        #expect(try sweep.removeUnnamed(in: store) == 9)
        #expect(try stampRows(where: "position >= 20") == added)
    }

    private func stampRows(where condition: String) throws -> [[SQLiteValue]] {
        try store.read { reader in
            let statement = try reader.connection.prepare(
                "SELECT * FROM ab_stamp WHERE \(condition) ORDER BY position")
            var rows: [[SQLiteValue]] = []
            while try statement.step() {
                rows.append((0..<statement.columnCount).map { statement.value(at: $0) })
            }
            return rows
        }
    }

    private func usedPageCount() throws -> Int64 {
        try store.read { reader in
            let counts = try ["page_count", "freelist_count"].map {
                try reader.connection.firstValue("PRAGMA \($0)")
            }
            guard case .integer(let all)? = counts[0], case .integer(let free)? = counts[1]
            else { return 0 }
            return all - free
        }
    }
}
