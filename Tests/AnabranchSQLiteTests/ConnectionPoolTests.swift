import AnabranchSQLite
import Dispatch
import Foundation
import Synchronization
import Testing

struct ConnectionPoolTests {
    /// Returns a file in WAL mode with two rows whose sum is always 100.
    private func makeFile() throws -> (folder: ScratchFolder, writer: Connection) {
        let folder = try ScratchFolder()
        let writer = try Connection(path: folder.path())
        try writer.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
            CREATE TABLE account (id INTEGER PRIMARY KEY, amount);
            INSERT INTO account VALUES (1, 60), (2, 40);
            """)
        return (folder, writer)
    }

    @Test func `readers see whole transactions while a writer writes`() throws {
        let (folder, writer) = try makeFile()
        let pool = ConnectionPool(path: folder.path(), limit: 3)
        let isDone = Mutex(false)
        let torn = Mutex(0)
        let reads = Mutex(0)
        let group = DispatchGroup()
        for _ in 0..<6 {
            DispatchQueue.global().async(group: group) {
                while !isDone.withLock({ $0 }) {
                    let isWhole = try? pool.read { reader in
                        let first = try reader.firstValue("SELECT amount FROM account WHERE id = 1")
                        let second = try reader.firstValue(
                            "SELECT amount FROM account WHERE id = 2")
                        guard case .integer(let a) = first, case .integer(let b) = second else {
                            return false
                        }
                        return a + b == 100
                    }
                    if isWhole != true { torn.withLock { $0 += 1 } }
                    reads.withLock { $0 += 1 }
                }
            }
        }
        var written = 0
        while written < 200 || reads.withLock({ $0 }) < 200 {
            try writer.transaction {
                try writer.run("UPDATE account SET amount = amount - 1 WHERE id = 1")
                try writer.run("UPDATE account SET amount = amount + 1 WHERE id = 2")
            }
            written += 1
        }
        isDone.withLock { $0 = true }
        group.wait()
        #expect(torn.withLock { $0 } == 0)
        #expect((1...3).contains(pool.openCount))
        #expect(pool.statistics.selects == 2 * reads.withLock { $0 })
        pool.close()
    }

    @Test func `a reader is reused and set up once`() throws {
        let (folder, _) = try makeFile()
        let setups = Mutex(0)
        let pool = ConnectionPool(path: folder.path(), limit: 4) { reader in
            setups.withLock { $0 += 1 }
            try reader.createCollation("c") { $0.count - $1.count }
        }
        #expect(pool.openCount == 0)
        for _ in 0..<5 {
            let same = try pool.read { try $0.firstValue("SELECT 'a' = 'b' COLLATE c") }
            #expect(same == 1)
        }
        #expect(setups.withLock { $0 } == 1)
        #expect(pool.openCount == 1)
    }

    @Test func `readers cannot write`() throws {
        let (folder, _) = try makeFile()
        let pool = ConnectionPool(path: folder.path(), limit: 1)
        let error = try #require(throws: SQLiteError.self) {
            try pool.read { try $0.run("DELETE FROM account") }
        }
        #expect(error.code == .readOnly)
        #expect(try pool.read { $0.isInTransaction })
    }

    @Test func `a statement left half-way does not hold the snapshot`() throws {
        let (folder, writer) = try makeFile()
        let pool = ConnectionPool(path: folder.path(), limit: 1)
        for amount in 1...2 {
            let kept = try pool.read { reader in
                let statement = try reader.prepare("SELECT id FROM account")
                #expect(try statement.step())
                return statement
            }
            try writer.run("UPDATE account SET amount = ?", .integer(Int64(amount)))
            let seen = try pool.read { try $0.firstValue("SELECT amount FROM account") }
            #expect(seen == .integer(Int64(amount)))
            withExtendedLifetime(kept) {}
        }
    }

    @Test func `a setup that fails frees its place`() throws {
        let (folder, _) = try makeFile()
        struct Refusal: Error {}
        let attempts = Mutex(0)
        let pool = ConnectionPool(path: folder.path(), limit: 1) { _ in
            let attempt = attempts.withLock { count in
                count += 1
                return count
            }
            if attempt == 1 { throw Refusal() }
        }
        #expect(throws: Refusal.self) { try pool.read { _ in } }
        #expect(pool.openCount == 0)
        try pool.read { _ in }
        #expect(pool.openCount == 1)
    }

    @Test func `waiting readers have their turn in the order in which they came`() throws {
        let (folder, _) = try makeFile()
        let pool = ConnectionPool(path: folder.path(), limit: 1)
        let order = Mutex<[Int]>([])
        let group = DispatchGroup()
        try pool.read { _ in
            for number in 0..<5 {
                DispatchQueue(label: "reader \(number)").async(group: group) {
                    try? pool.read { _ in order.withLock { $0.append(number) } }
                }
                while pool.waitingCount <= number { usleep(200) }
            }
        }
        group.wait()
        #expect(order.withLock { $0 } == [0, 1, 2, 3, 4])
    }

    @Test func `closing waits for the reader, refuses those that wait, and stays closed`() throws {
        let (folder, _) = try makeFile()
        let pool = ConnectionPool(path: folder.path(), limit: 1)
        let events = Mutex<[String]>([])
        let group = DispatchGroup()
        let queue = DispatchQueue(label: "others", attributes: .concurrent)
        try pool.read { reader in
            queue.async(group: group) {
                let isRefused = (try? pool.read { _ in }) == nil
                events.withLock { $0.append(isRefused ? "refused" : "served") }
            }
            while pool.waitingCount < 1 { usleep(200) }
            queue.async(group: group) {
                pool.close()
                events.withLock { $0.append("closed") }
            }
            while events.withLock({ $0.isEmpty }) { usleep(200) }
            let soFar = events.withLock { $0 }
            #expect(soFar == ["refused"])
            let answer = try reader.firstValue("SELECT 1")
            #expect(answer == 1)
            events.withLock { $0.append("read") }
        }
        group.wait()
        #expect(events.withLock { $0 } == ["refused", "read", "closed"])
        #expect(pool.openCount == 0)
        let error = try #require(throws: SQLiteError.self) { try pool.read { _ in } }
        #expect(error.code == .misuse)
        pool.close()
    }

    @Test func `a missing file is an error of the read`() throws {
        let pool = ConnectionPool(path: try ScratchFolder().path(), limit: 2)
        for _ in 0..<3 {
            let error = try #require(throws: SQLiteError.self) { try pool.read { _ in } }
            #expect(error.code == .cantOpen)
        }
        #expect(pool.openCount == 0)
    }
}
