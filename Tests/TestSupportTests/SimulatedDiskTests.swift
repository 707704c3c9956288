import AnabranchSQLite
import TestSupport
import Testing

struct SimulatedDiskTests {
    private let path = "data"

    private func open(_ disk: SimulatedDisk, synchronous: String) throws -> Connection {
        let connection = try Connection(path: path, vfs: disk.name)
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute("PRAGMA synchronous = \(synchronous)")
        try connection.execute("CREATE TABLE IF NOT EXISTS entry (number, text)")
        return connection
    }

    private func count(_ connection: Connection) throws -> Int64 {
        guard case .integer(let count)? = try connection.firstValue("SELECT count(*) FROM entry")
        else { return -1 }
        return count
    }

    /// - Returns: The number of committed transactions, each of two rows.
    private func write(_ transactions: Int, _ connection: Connection) -> Int64 {
        var committed: Int64 = 0
        for number in 0..<transactions {
            do {
                try connection.transaction {
                    for _ in 0..<2 {
                        try connection.run(
                            "INSERT INTO entry VALUES (?, ?)", .integer(Int64(number)),
                            .text(String(repeating: "x", count: 3_000)))
                    }
                }
                committed += 1
            } catch { break }
        }
        return committed
    }

    @Test(arguments: [false, true])
    func `a process that dies at any operation leaves a whole file`(losesPower: Bool) throws {
        var operations = 0
        while true {
            let disk = SimulatedDisk(seed: UInt64(operations))
            let process = disk.process(of: path)
            let connection = try open(disk, synchronous: "FULL")
            process.dieAfter(operations)
            let committed = write(4, connection)
            connection.close()
            let hasDied = process.isDead
            process.dieAfter(nil)
            if hasDied { disk.restart(path, afterLossOfPower: losesPower) }

            let survivor = try open(disk, synchronous: "FULL")
            defer { survivor.close() }
            #expect(try survivor.firstValue("PRAGMA integrity_check") == .text("ok"))
            let rows = try count(survivor)
            // The transaction during which the process died may be there too, but never a part of
            // it.
            #expect(rows == committed * 2 || rows == committed * 2 + 2, "at \(operations)")
            guard hasDied else { break }
            operations += 1
        }
        #expect(operations > 20)
    }

    @Test func `a loss of power takes what was not flushed, and only that`() throws {
        var lost = 0
        for seed in 0..<40 {
            let disk = SimulatedDisk(seed: UInt64(seed))
            let connection = try open(disk, synchronous: "NORMAL")
            #expect(write(2, connection) == 2)
            try connection.execute("PRAGMA synchronous = FULL")
            #expect(write(1, connection) == 1)
            try connection.execute("PRAGMA synchronous = NORMAL")
            #expect(write(2, connection) == 2)
            disk.process(of: path).die()
            connection.close()
            disk.restart(path, afterLossOfPower: true)

            let survivor = try open(disk, synchronous: "NORMAL")
            defer { survivor.close() }
            #expect(try survivor.firstValue("PRAGMA integrity_check") == .text("ok"))
            let rows = try count(survivor)
            #expect((6...10).contains(rows) && rows.isMultiple(of: 2))
            if rows < 10 { lost += 1 }
        }
        #expect(lost > 10)
    }

    @Test func `a copy has what the file had, and another identity`() throws {
        let disk = SimulatedDisk(seed: 1)
        let connection = try open(disk, synchronous: "NORMAL")
        _ = write(3, connection)
        disk.copy(path, to: "copy")
        _ = write(1, connection)
        connection.close()

        let copy = try Connection(path: "copy", vfs: disk.name)
        defer { copy.close() }
        #expect(try count(copy) == 6)
        #expect(try !disk.identity(of: "copy").matches(try disk.identity(of: path)))
        #expect(throws: SQLiteError.self) { try disk.identity(of: "nothing") }
    }

    @Test func `two connections keep to each other's locks`() throws {
        let disk = SimulatedDisk(seed: 1)
        let one = try open(disk, synchronous: "NORMAL")
        let two = try Connection(path: path, vfs: disk.name, busyTimeout: .milliseconds(1))
        defer {
            two.close()
            one.close()
        }
        try one.transaction {
            try one.run("INSERT INTO entry VALUES (1, 'a')")
            #expect(try count(two) == 0)
            #expect(throws: SQLiteError.self) { try two.run("INSERT INTO entry VALUES (2, 'b')") }
        }
        #expect(try count(two) == 1)
    }
}
