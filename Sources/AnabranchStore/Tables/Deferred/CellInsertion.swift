import AnabranchReplication
import AnabranchSQLite

/// Inserts deferred cells of one property by one statement.
struct CellInsertion {
    private let deferred: DeferredRows
    private let statement: Statement

    /// Prepares the statement.
    ///
    /// - Parameter ifAbsent: True if a cell that exists stays as it is.
    init(of property: WireProperty, into deferred: DeferredRows, ifAbsent: Bool = false) throws {
        self.deferred = deferred
        statement = try deferred.connection.cached(ifAbsent ? Self.insertingAbsent : Self.inserting)
        try statement.bind(property.columns, from: 2)
    }

    private static let cell =
        "ab_deferred_cell (record, name, type, rule, value, hlc, by) VALUES (?, ?, ?, ?, ?, ?, ?)"
    private static let inserting = "INSERT INTO \(cell)"
    private static let insertingAbsent = "INSERT OR IGNORE INTO \(cell)"

    /// Inserts a cell.
    ///
    /// - Parameter value: The value in its wire form.
    func insert(_ value: PropertyValue, of id: LocalID, stamp: LocalStamp) throws {
        deferred.isEmpty = false
        var bytes = ByteWriter()
        bytes.append(tagged: value)
        try statement.bind(id, at: 1)
        try statement.bind(bytes.bytes, stamp, from: 5)
        try statement.run()
    }
}
