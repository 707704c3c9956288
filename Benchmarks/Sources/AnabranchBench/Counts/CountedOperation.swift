/// An operation of which instructions, statements and calls are counted.
enum CountedOperation: String, CaseIterable {
    case insert = "insert and save"
    case insertTen = "insert ten and save, an object"
    case change = "change and save"
    case delete = "find by ID, delete and save"
    case find = "find by ID and read"
    case fire = "read a to-one"
    case members = "read a to-many of 20"
    case count = "count 100 rows by an index"
    case fetch = "fetch and read, an object"
    case bulkSave = "save of many, an object"
    case remoteChange = "pull and apply one remote change"
    case idleExchange = "exchange with nothing to do"
    case rawInsert = "raw SQLite: insert in a transaction"
    case rawChange = "raw SQLite: update in a transaction"
    case rawDelete = "raw SQLite: delete in a transaction"

    /// The kind of store that the operation needs.
    enum Side {
        case store, server, raw
    }

    var side: Side {
        switch self {
        case .remoteChange, .idleExchange: .server
        case .rawInsert, .rawChange, .rawDelete: .raw
        default: .store
        }
    }

    /// The numbers of turns of the two runs that are compared. Preparation and start are the same
    /// in both, so the difference of the runs is the work of the turns.
    var turns: (few: Int, many: Int) {
        switch self {
        case .fetch, .bulkSave: (2000, 12_000)
        default: (200, 1200)
        }
    }

    /// As ``turns``, for runs without valgrind. Saves are done so often that the copies of the
    /// write-ahead log into the file, which are few and large, are spread over them.
    var fastTurns: (few: Int, many: Int) {
        switch self {
        case .insert, .insertTen, .change, .delete, .rawInsert, .rawChange, .rawDelete:
            (200, 20_200)
        default: turns
        }
    }

    /// The system calls with which a turn asks the counting program for a remote change.
    var ownSystemCalls: Double { self == .remoteChange ? 2 : 0 }
}

/// The size of the tables before the operations.
enum CountedSize {
    /// The ages of these have a thousand values, so each is the age of a hundred.
    static let people = 100_000
    /// Each is read in one turn, so no run has more turns of that kind.
    static let folders = 1200
    static let notesEach = 20
}

/// A side that does one operation again and again.
protocol CountedSide {
    /// Gets ready for a number of turns, of which not all need to be done.
    func prepare(_ operation: CountedOperation, turns: Int) async throws

    /// Does an operation once for each turn.
    func run(_ operation: CountedOperation, turns: Int) async throws
}
