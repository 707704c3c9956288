import AnabranchSQLite
import Testing

struct StatementTests {
    private static let three = "SELECT value FROM json_each('[1,2,3]')"

    private func all(_ statement: Statement) throws -> [Int64] {
        var values: [Int64] = []
        while try statement.step() { values.append(statement.int64(at: 0)) }
        return values
    }

    @Test func `a statement is reset at its end and runs again`() throws {
        let connection = try Connection(path: ":memory:")
        let statement = try connection.prepare("SELECT ?1 UNION ALL SELECT ?1 + 1")
        try statement.bind(5, at: 1)
        #expect(try all(statement) == [5, 6])
        #expect(try all(statement) == [5, 6])
        try statement.bind(8, at: 1)
        #expect(try all(statement) == [8, 9])
    }

    @Test func `values are bound to consecutive parameters`() throws {
        let connection = try Connection(path: ":memory:")
        let none: [UInt8]? = nil
        let statement = try connection.cached(
            "SELECT ?1, ?2, ?3, ?4", 5 as Int64, "Ada", none, SQLiteValue.real(0.5))
        #expect(
            try statement.map { row in (0..<4).map { row.value(at: $0) } } == [
                [.integer(5), .text("Ada"), .null, .real(0.5)]
            ])
        try statement.bind([7] as [UInt8], 9 as Int64, from: 2)
        #expect(try statement.first { $0.bytes(at: 1) } == [7])
        #expect(try statement.first { $0.int64(at: 2) } == 9)
    }

    @Test func `the first row is read, and errors of the body end a run`() throws {
        let statement = try Connection(path: ":memory:").prepare(Self.three)
        #expect(try statement.first { $0.int64(at: 0) } == 1)
        #expect(throws: CancellationError.self) {
            try statement.map { _ in throw CancellationError() }
        }
        #expect(try statement.map { $0.int64(at: 0) } == [1, 2, 3])
        let none = try statement.connection.prepare("SELECT 1 WHERE false")
        #expect(try none.first { $0.int64(at: 0) } == nil)
    }

    @Test func `binding while stepping is misuse`() throws {
        let statement = try Connection(path: ":memory:").prepare("SELECT ?1")
        #expect(try statement.step())
        let error = try #require(throws: SQLiteError.self) { try statement.bind(1, at: 1) }
        #expect(error.code == .misuse)
        statement.reset()
        try statement.bind(1, at: 1)
        #expect(try all(statement) == [1])
    }

    @Test func `a value that is lent for one run is released at its end`() throws {
        final class Owner {
            let bytes: UnsafeMutableRawBufferPointer
            init(_ bytes: [UInt8]) {
                self.bytes = .allocate(byteCount: bytes.count, alignment: 1)
                self.bytes.copyBytes(from: bytes)
            }
            deinit { bytes.deallocate() }
        }
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t(a, b)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?, ?)")
        weak var lent: Owner?
        for run in 0..<2 {
            let owner = Owner([1, 2, 3])
            lent = owner
            if run == 0 {
                try insert.bind(7, at: 1)
                try insert.bind(UnsafeRawBufferPointer(owner.bytes), ownedBy: owner, at: 2)
            }
            try insert.run()
        }
        #expect(lent == nil)
        #expect(
            try connection.rows("SELECT a, b FROM t") == [
                [.integer(7), .blob([1, 2, 3])], [.integer(7), .null],
            ])
    }

    @Test func `rows and values beyond the connection's limit are too big`() throws {
        let connection = try Connection(path: ":memory:")
        #expect(connection.lengthLimit == 1_000_000_000)
        try connection.execute("CREATE TABLE t(a, b)")
        connection.lengthLimit = 1000
        let insert = try connection.prepare("INSERT INTO t VALUES (zeroblob(?), zeroblob(?))")
        try insert.bind(400, at: 1)
        for (size, fits) in [(500, true), (700, false)] {
            try insert.bind(size, at: 2)
            if fits {
                try insert.run()
            } else {
                let error = #expect(throws: SQLiteError.self) { try insert.run() }
                #expect(error?.code == .tooBig)
            }
        }
        let value = [UInt8](repeating: 0, count: 1001)
        let error = #expect(throws: SQLiteError.self) { try insert.bind(value, at: 1) }
        #expect(error?.code == .tooBig)
        connection.lengthLimit = 2_000_000_000
        #expect(connection.lengthLimit == 1_000_000_000)
    }

    @Test func `a cached statement is prepared once and comes back without bindings`() throws {
        let connection = try Connection(path: ":memory:")
        let before = connection.statistics
        for _ in 0..<5 {
            let statement = try connection.cached("SELECT ?1")
            #expect(try statement.step())
            #expect(statement.isNull(at: 0))
            statement.reset()
            try statement.bind("left behind", at: 1)
            #expect(try statement.step())
        }
        #expect((connection.statistics - before).preparations == 1)
    }

    @Test(arguments: [2, 20])
    func `a cached statement binds short values anew for each borrower`(count: Int) throws {
        let connection = try Connection(path: ":memory:")
        let marks = Array(repeating: "?", count: count).joined(separator: ", ")
        for round in 1...3 {
            let statement = try connection.cached("SELECT \(marks)")
            try statement.bind("text \(round)", at: round % 2 + 1)
            #expect(try statement.step())
            for column in 0..<count {
                #expect(
                    statement.value(at: column)
                        == (column == round % 2 ? .text("text \(round)") : .null))
            }
        }
    }

    @Test func `a cached statement that is still stepping is not lent twice`() throws {
        let connection = try Connection(path: ":memory:")
        let outer = try connection.cached(Self.three)
        var pairs: [[Int64]] = []
        while try outer.step() {
            let inner = try connection.cached(Self.three)
            while try inner.step() { pairs.append([outer.int64(at: 0), inner.int64(at: 0)]) }
        }
        #expect(pairs.count == 9)
        #expect(pairs.first == [1, 1])
        #expect(pairs.last == [3, 3])
    }

    @Test func `a cached statement that is bound and not yet stepped is not lent twice`() throws {
        let connection = try Connection(path: ":memory:")
        let first = try connection.cached("SELECT ?1")
        try first.bind(1, at: 1)
        let second = try connection.cached("SELECT ?1")
        try second.bind(2, at: 1)
        #expect(try all(first) == [1])
        #expect(try all(second) == [2])
    }

    @Test func `releasing a cached statement half-way ends its read`() throws {
        let folder = try ScratchFolder()
        let connection = try Connection(path: folder.path())
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        func readOne() throws {
            let statement = try connection.cached("SELECT a FROM t")
            #expect(try statement.step())
        }
        try readOne()
        let writer = try Connection(path: folder.path(), busyTimeout: .zero)
        try writer.execute("INSERT INTO t VALUES (3)")
    }

    @Test func `the cache keeps what was used last`() throws {
        let connection = try Connection(path: ":memory:", cachedStatements: 2)
        func preparations(_ sql: String) throws -> Int {
            let before = connection.statistics
            try connection.run(sql)
            return (connection.statistics - before).preparations
        }
        #expect(try preparations("SELECT 1") == 1)
        #expect(try preparations("SELECT 2") == 1)
        #expect(try preparations("SELECT 1") == 0)
        #expect(try preparations("SELECT 3") == 1)
        #expect(try preparations("SELECT 1") == 0)
        #expect(try preparations("SELECT 2") == 1)
    }

    /// Texts that were built anew may get the memory of earlier ones.
    @Test func `the cache tells apart texts that had the same memory`() throws {
        let connection = try Connection(path: ":memory:", cachedStatements: 3)
        for number in 0..<2000 {
            let sql = "SELECT \(number % 10) AS a_column_with_a_name"
            #expect(try connection.firstValue(sql) == .integer(Int64(number % 10)))
        }
        let constants = (0..<5).map { "SELECT \($0) AS another_column_with_a_name" }
        for number in 0..<2000 {
            let sql = constants[number * 7 % 5]
            #expect(try connection.firstValue(sql) == .integer(Int64(number * 7 % 5)))
        }
    }

    @Test func `the cache never takes a statement away from its borrower`() throws {
        let connection = try Connection(path: ":memory:", cachedStatements: 1)
        let lent = try (1...4).map { try connection.cached("SELECT \($0)") }
        for (index, statement) in lent.enumerated() {
            #expect(try all(statement) == [Int64(index + 1)])
        }
    }

    @Test func `texts that differ only in their normal form are two statements`() throws {
        let connection = try Connection(path: ":memory:")
        #expect(try connection.firstValue("SELECT 'e\u{301}'") == "e\u{301}")
        #expect(try connection.firstValue("SELECT '\u{E9}'") == "\u{E9}")
    }

    @Test func `after closing, statements throw and read as null`() throws {
        let connection = try Connection(path: ":memory:")
        let kept = try connection.prepare(Self.three)
        let cached = try connection.cached("SELECT ?1")
        #expect(try kept.step())
        connection.close()
        connection.close()
        #expect(!connection.isOpen)
        #expect(kept.isNull(at: 0))
        #expect(kept.string(at: 0) == "")
        for attempt in [
            { _ = try kept.step() }, { try cached.run() }, { try cached.bind(1, at: 1) },
            { try cached.bind("x", at: 1) }, { _ = try connection.prepare("SELECT 1") },
            { try connection.transaction {} }, { try connection.checkpoint() },
        ] as [() throws -> Void] {
            let error = try #require(throws: SQLiteError.self, performing: attempt)
            #expect(error.code == .misuse)
            #expect(error.message.contains("has been closed"))
        }
    }

    @Test func `a statement keeps its connection open`() throws {
        let statement = try Connection(path: ":memory:").prepare(Self.three)
        #expect(try all(statement) == [1, 2, 3])
    }

    @Test func `closing lets the file go although a statement is held`() throws {
        let folder = try ScratchFolder()
        let connection = try Connection(path: folder.path())
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        let statement = try connection.prepare("SELECT a FROM t")
        #expect(try statement.step())
        connection.close()
        let other = try Connection(path: folder.path(), busyTimeout: .zero)
        try other.transaction(.exclusive) { try other.run("DELETE FROM t") }
        #expect(throws: SQLiteError.self) { try statement.step() }
    }

    @Test func `parameters and columns have names`() throws {
        let statement = try Connection(path: ":memory:").prepare("SELECT :a AS x, ?5")
        #expect(statement.parameterCount == 5)
        #expect(statement.columnName(at: 0) == "x")
    }
}
