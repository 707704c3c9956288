import AnabranchSQLite

/// A SELECT of the rows that belong to records, in no particular order.
///
/// That of one record has the record's ID as its parameter. That of several records has a JSON
/// array, which SQLite has to read. A function takes the rows unless they are too wide for one.
struct SelectByID: Sendable {
    let ofOne: String
    let ofSeveral: String
    let takesRows: Bool

    /// - Parameter parts: The columns, and the text after `FROM` and the first tables, for the SQL
    ///   of the record's ID.
    init(_ parts: (_ id: String) -> (columns: [String], source: String)) {
        func select(_ id: String, _ tables: String) -> (sql: String, takesRows: Bool) {
            let (columns, source) = parts(id)
            let taken = Statement.takingRows(of: columns)
            let list = taken ?? columns.joined(separator: ", ")
            return ("SELECT \(list) FROM \(tables)\(source)", taken != nil)
        }
        (ofOne, takesRows) = select("?1", "")
        ofSeveral = select("j.value", "json_each(?1) AS j CROSS JOIN ").sql
    }
}
