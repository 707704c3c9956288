import AnabranchModel
import AnabranchSQLite
import AnabranchStore

/// The persistent history of a source: its transactions, and which of them inserted and last
/// changed the objects that are there.
///
/// A step is the place of a transaction in the history, from 1. Step 0 is everything before it.
///
/// The history says which transaction changed which object, but not the values that it wrote. The
/// properties that an update changed are a bit field without a documented order, so they are not
/// read.
struct SourceHistory {
    /// The steps at which an object was inserted and last changed.
    private struct Moment {
        let entry: Int32
        /// 0 if it was not changed after its insertion.
        let update: Int32
    }

    /// An object that a transaction inserted.
    struct Insertion {
        let step: Int
        /// The position of the entity in the layout.
        let entity: Int
        let key: Int64
    }

    let transactions: [HistoryTransactions.Transaction]
    /// True if a time is greater than the latest one that is taken for one.
    private(set) var hasLaterTimes = false
    /// The objects that are there and were inserted by transactions, by step, entity and key.
    private(set) var insertions: [Insertion] = []
    /// The number of objects that transactions deleted.
    private(set) var deletedObjectCount = 0
    private var moments: [LocalID: Moment] = [:]

    private static let columns = [
        "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID",
    ]

    /// Reads the history of a source.
    ///
    /// Each thing that is wrong in it is added to the doubts, and never ends the conversion.
    ///
    /// - Parameter latest: The greatest time that is taken for one, in milliseconds since
    ///   1970-01-01 UTC.
    /// - Returns: `nil` if the source keeps no history.
    static func read(_ source: SourceContext, latest: Int64) throws -> SourceHistory? {
        let tables = source.layout.tables
        guard let changes = tables["ACHANGE"], let transactions = tables["ATRANSACTION"] else {
            return nil
        }
        let connection = source.file.connection
        guard changes.hasColumns(columns),
            var reader = try HistoryTransactions(
                transactions, strings: tables["ATRANSACTIONSTRING"], connection, latest: latest,
                source.doubts)
        else {
            source.doubts.add(history: "tables without the usual columns", stored: "no history")
            return nil
        }
        var history = SourceHistory(transactions: try reader.all(connection))
        history.hasLaterTimes = reader.hasLaterTimes
        guard !history.transactions.isEmpty else { return nil }
        try history.readChanges(changes, transactions, source)
        history.insertions.sort { ($0.step, $0.entity, $0.key) < ($1.step, $1.entity, $1.key) }
        return history
    }

    private init(transactions: [HistoryTransactions.Transaction]) {
        self.transactions = transactions
    }

    /// The step at which an object enters the store.
    func entry(of id: LocalID) -> Int { moments[id].map { Int($0.entry) } ?? 0 }

    /// The last step that changed an object after its insertion; 0 if there is none.
    func update(of id: LocalID) -> Int { moments[id].map { Int($0.update) } ?? 0 }

    private mutating func readChanges(
        _ changes: SourceTable, _ transactions: SourceTable, _ source: SourceContext
    ) throws {
        let steps = Dictionary(
            self.transactions.enumerated().map { ($1.number, $0 + 1) },
            uniquingKeysWith: { first, _ in first })
        let places = source.entityTables
        var problems = HistoryProblems()
        let statement = try source.file.connection.prepare(
            """
            SELECT ZENTITY, ZENTITYPK,
                min(CASE ZCHANGETYPE WHEN 0 THEN ZTRANSACTIONID END),
                max(CASE ZCHANGETYPE WHEN 1 THEN ZTRANSACTIONID END),
                max(CASE ZCHANGETYPE WHEN 2 THEN 1 ELSE 0 END)
            FROM \(changes.quotedName) WHERE ZCHANGETYPE IN (0, 1, 2)
            AND ZTRANSACTIONID IN (SELECT Z_PK FROM \(transactions.quotedName))
            GROUP BY ZENTITY, ZENTITYPK
            """)
        while try statement.step() {
            let (number, key) = (statement.int64(at: 0), statement.int64(at: 1))
            let isDeleted = statement.int64(at: 4) != 0
            guard let table = places[number] else {
                problems.addUnknownEntity(number, isKnown: source.file.has(entity: number))
                continue
            }
            guard let entity = source.rows.entity(ofKey: key, inTable: table) else {
                if isDeleted { deletedObjectCount += 1 } else { problems.missing += 1 }
                continue
            }
            if isDeleted { problems.present += 1 }
            let entry = steps[statement.int64(at: 2)] ?? 0
            let update = steps[statement.int64(at: 3)] ?? 0
            moments[source.id(ofKey: key, inTable: table)] = Moment(
                entry: Int32(entry), update: update > entry ? Int32(update) : 0)
            if entry > 0 {
                insertions.append(Insertion(step: entry, entity: entity, key: key))
            }
        }
        try problems.countUnreadable(changes, transactions, source.file.connection)
        problems.report(to: source.doubts)
    }
}

/// The changes of a history that cannot be as they are.
private struct HistoryProblems {
    /// The numbers of changed objects by the number of an entity that the source does not have.
    private var unknownEntities: [Int64: Int] = [:]
    /// The number of objects that are missing although no change deleted them.
    var missing = 0
    /// The number of objects that are there although a change deleted them.
    var present = 0
    /// The number of changes that are of no kind or of no transaction.
    private var unreadable = 0

    mutating func addUnknownEntity(_ number: Int64, isKnown: Bool) {
        // An entity that only the model lacks was reported with its rows.
        if !isKnown { unknownEntities[number, default: 0] += 1 }
    }

    mutating func countUnreadable(
        _ changes: SourceTable, _ transactions: SourceTable, _ connection: Connection
    ) throws {
        let count = try connection.firstValue(
            """
            SELECT count(*) FROM \(changes.quotedName) WHERE ifnull(ZCHANGETYPE, -1)
            NOT IN (0, 1, 2) OR ifnull(ZTRANSACTIONID, -1) NOT IN
            (SELECT Z_PK FROM \(transactions.quotedName))
            """)
        if case .integer(let count)? = count { unreadable = Int(count) }
    }

    func report(to doubts: DoubtList) {
        for (number, count) in unknownEntities.sorted(by: { $0.key < $1.key }) {
            doubts.add(
                history: "changes of \(objects(count)) of the unknown entity number \(number)",
                stored: "nothing")
        }
        if missing > 0 {
            doubts.add(
                history: "changes of \(objects(missing)) that no transaction deleted, and that "
                    + (missing == 1 ? "is missing" : "are missing"), stored: "nothing")
        }
        if present > 0 {
            doubts.add(
                history: "a deletion of \(objects(present)) that "
                    + (present == 1 ? "is there" : "are there"), stored: "no deletion")
        }
        if unreadable > 0 {
            doubts.add(
                history: (unreadable == 1 ? "1 change" : "\(unreadable) changes")
                    + " of an unknown kind or transaction", stored: "nothing")
        }
    }

    private func objects(_ count: Int) -> String { count == 1 ? "1 object" : "\(count) objects" }
}

extension SourceContext {
    /// The tables of the entities, by the entities' numbers.
    fileprivate var entityTables: [Int64: Int] {
        Dictionary(
            layout.entities.map { ($0.number, $0.table) }, uniquingKeysWith: { first, _ in first })
    }
}

extension CoreDataFile {
    fileprivate func has(entity number: Int64) -> Bool { parents[number] != nil }
}
