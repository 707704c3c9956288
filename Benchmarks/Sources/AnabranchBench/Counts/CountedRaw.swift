import CRawSQLite

/// Saves of one row as a C program does them: three prepared statements each.
final class CountedRaw: CountedSide {
    private let people: RawPeople
    private let begin: OpaquePointer
    private let commit: OpaquePointer
    private let insert: OpaquePointer
    private let change: OpaquePointer
    private let delete: OpaquePointer
    private let data = PeopleData(count: 1000)

    init(_ path: String) throws {
        people = try RawPeople(path: path, isNew: false)
        begin = try people.database.prepare("BEGIN IMMEDIATE")
        commit = try people.database.prepare("COMMIT")
        insert = try people.database.prepare(
            "INSERT INTO Person (age, firstName, lastName) VALUES (?, ?, ?)")
        change = try people.database.prepare("UPDATE Person SET age = age + 1 WHERE pk = ?")
        delete = try people.database.prepare("DELETE FROM Person WHERE pk = ?")
    }

    deinit {
        for statement in [begin, commit, insert, change, delete] { sqlite3_finalize(statement) }
    }

    /// Creates a database with rows, and closes it.
    static func create(_ path: String) throws {
        try RawPeople(path: path).insert(PeopleData(count: CountedSize.people))
    }

    func prepare(_ operation: CountedOperation, turns: Int) {}

    func run(_ operation: CountedOperation, turns: Int) throws {
        for turn in 0..<turns {
            try people.database.step(begin)
            try people.database.step(bound(operation, turn))
            try people.database.step(commit)
        }
    }

    private func bound(_ operation: CountedOperation, _ turn: Int) throws -> OpaquePointer {
        switch operation {
        case .rawInsert:
            let row = turn % data.count
            sqlite3_bind_int64(insert, 1, data.ages[row])
            data.firstUTF8.bind(row, to: insert, at: 2)
            data.lastUTF8.bind(row, to: insert, at: 3)
            return insert
        case .rawChange:
            sqlite3_bind_int64(change, 1, Int64(turn + 1))
            return change
        case .rawDelete:
            sqlite3_bind_int64(delete, 1, Int64(turn + 1))
            return delete
        default: throw Unexpected("raw SQLite does not \(operation.rawValue)")
        }
    }
}
