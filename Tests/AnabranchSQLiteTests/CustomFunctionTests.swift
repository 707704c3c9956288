import AnabranchSQLite
import Testing

struct CustomFunctionTests {
    private struct Refusal: Error, Equatable { let number: Int64 }

    @Test func `a function takes and returns every type`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.createFunction("echo", argumentCount: 1) { $0[0] }
        for value in [.null, 1, 2.5, "a\0b", "", .blob([]), .blob([1, 0])] as [SQLiteValue] {
            #expect(try connection.firstValue("SELECT echo(?)", value) == value)
        }
    }

    @Test func `a function takes any number of arguments`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.createFunction("total", argumentCount: nil, traits: .deterministic) {
            arguments in
            .integer(arguments.indices.reduce(0) { $0 + arguments.int64(at: $1) })
        }
        #expect(try connection.firstValue("SELECT total()") == 0)
        #expect(try connection.firstValue("SELECT total(1, 2, 3)") == 6)
    }

    @Test func `an error thrown by a function fails the statement and reaches the caller`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.createFunction("refuse", argumentCount: 1) {
            throw Refusal(number: $0.int64(at: 0))
        }
        let error = try #require(throws: SQLiteError.self) {
            try connection.run("SELECT refuse(value) FROM json_each('[7,8]')")
        }
        #expect(error.code == .error)
        #expect(error.underlying as? Refusal == Refusal(number: 7))
        #expect(error.message.contains("Refusal"))
        let later = try #require(throws: SQLiteError.self) { try connection.run("SELECT abs()") }
        #expect(later.underlying == nil)
    }

    @Test func `an SQLite error thrown by a function keeps its code`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.createFunction("pour", argumentCount: 0) { _ in
            throw SQLiteError(code: .full, action: "pour", cause: "the cup is full")
        }
        let error = try #require(throws: SQLiteError.self) { try connection.run("SELECT pour()") }
        #expect(error.code == .full)
        #expect(error.message.contains("the cup is full"))
    }

    @Test func `a function may run statements on its connection`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t (a); INSERT INTO t VALUES (4)")
        try connection.createFunction("first", argumentCount: 0) { [unowned connection] _ in
            try connection.firstValue("SELECT a FROM t") ?? .null
        }
        #expect(try connection.firstValue("SELECT first() + first()") == 8)
    }

    @Test func `a value derived from a constant is created once`() throws {
        final class Pattern {}
        let connection = try Connection(path: ":memory:")
        var made = 0
        try connection.createFunction("match", argumentCount: 2, traits: .deterministic) {
            arguments in
            _ = arguments.derived(from: 0) { () -> Pattern in
                made += 1
                return Pattern()
            }
            return 1
        }
        let rows = try connection.rows("SELECT match('p', value) FROM json_each('[1,2,3,4]')")
        #expect(rows.count == 4)
        #expect(made == 1)
    }

    @Test func `only an innocuous function may stand in a view`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.createFunction("risky", argumentCount: 0) { _ in 1 }
        try connection.createFunction("safe", argumentCount: 0, traits: .innocuous) { _ in 2 }
        try connection.execute(
            "CREATE VIEW a AS SELECT risky() AS v; CREATE VIEW b AS SELECT safe() AS v")
        #expect(throws: SQLiteError.self) { try connection.rows("SELECT v FROM a") }
        #expect(try connection.rows("SELECT v FROM b") == [[2]])
    }

    @Test func `a collation orders and compares`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.createCollation("by_length") { $0.count - $1.count }
        let sorted = try connection.rows(
            "SELECT value FROM json_each('[\"ccc\",\"\",\"a\",\"bb\"]') "
                + "ORDER BY value COLLATE by_length")
        #expect(sorted == [[""], ["a"], ["bb"], ["ccc"]])
        #expect(try connection.firstValue("SELECT 'xy' = 'ab' COLLATE by_length") == 1)
    }

    @Test func `functions are released with their connection or when replaced`() throws {
        final class Token {}
        weak var first: Token?
        weak var second: Token?
        weak var third: Token?
        let connection = try Connection(path: ":memory:")
        func define() throws {
            let tokens = (Token(), Token(), Token())
            (first, second, third) = tokens
            try connection.createFunction("f", argumentCount: 0) { [a = tokens.0] _ in
                withExtendedLifetime(a) { 1 }
            }
            try connection.createFunction("f", argumentCount: 0) { [b = tokens.1] _ in
                withExtendedLifetime(b) { 2 }
            }
            try connection.createCollation("c") { [c = tokens.2] _, _ in
                withExtendedLifetime(c) { 0 }
            }
        }
        try define()
        #expect(first == nil)
        #expect(second != nil)
        #expect(third != nil)
        connection.close()
        #expect(second == nil)
        #expect(third == nil)
    }

    @Test func `an aggregate has one state for each group, and one for no rows`() throws {
        let connection = try Connection(path: ":memory:")
        try connection.createAggregate(
            "joined", argumentCount: 1, initial: { [String]() },
            step: { $0.append($1.string(at: 0)) },
            result: { .text("\($0.count):" + $0.sorted().joined()) })
        try connection.execute(
            "CREATE TABLE t (g, v); INSERT INTO t VALUES (1, 'b'), (2, 'c'), (1, 'a')")
        let groups = try connection.cached("SELECT joined(v) FROM t GROUP BY g ORDER BY g")
        var found: [String] = []
        while try groups.step() { found.append(groups.string(at: 0)) }
        #expect(found == ["2:ab", "1:c"])
        let none = try connection.cached("SELECT joined(v) FROM t WHERE g = 3")
        #expect(try none.step() && none.string(at: 0) == "0:")
    }

    @Test func `an error of an aggregate fails the statement, and leaves no state`() throws {
        final class Count { nonisolated(unsafe) static var living = 0 }
        final class State {
            init() { Count.living += 1 }
            deinit { Count.living -= 1 }
        }
        let connection = try Connection(path: ":memory:")
        try connection.createAggregate(
            "refuse", argumentCount: 1, initial: { State() },
            step: { _, arguments in
                if arguments.int64(at: 0) == 2 { throw Refusal(number: 2) }
            },
            result: { _ in .null })
        for _ in 0..<3 {
            let error = #expect(throws: SQLiteError.self) {
                try connection.execute(
                    "SELECT refuse(value) FROM json_each('[1, 2, 3]') GROUP BY value % 2")
            }
            #expect(error?.underlying as? Refusal == Refusal(number: 2))
        }
        #expect(Count.living == 0)
    }
}
