import AnabranchSQLite

/// A SELECT of the rows that belong to records, in no particular order.
///
/// That of one record has the record's ID as its parameter. That of several records has a JSON
/// array, which SQLite has to read. A function takes the rows if there may be many of them, unless
/// they are too wide for one.
struct SelectByID: Sendable {
    typealias Select = (sql: String, takesRows: Bool)

    let ofOne: Select
    let ofSeveral: Select

    /// - Parameters:
    ///   - isKey: True if at most one row belongs to a record.
    ///   - parts: The columns, and the text after `FROM` and the first tables, for the SQL of the
    ///     record's ID.
    init(isKey: Bool = false, _ parts: (_ id: String) -> (columns: [String], source: String)) {
        func select(_ id: String, _ tables: String, mayBeTaken: Bool = true) -> Select {
            let (columns, source) = parts(id)
            let taken = mayBeTaken ? Statement.takingRows(of: columns) : nil
            let list = taken ?? columns.joined(separator: ", ")
            return ("SELECT \(list) FROM \(tables)\(source)", taken != nil)
        }
        ofOne = select("?1", "", mayBeTaken: !isKey)
        ofSeveral = select("j.value", "json_each(?1) AS j CROSS JOIN ")
    }
}
