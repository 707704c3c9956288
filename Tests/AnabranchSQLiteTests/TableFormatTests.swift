import Testing

@testable import AnabranchSQLite

@Suite struct `The format of a file's tables` {
    /// The step adds a column behind the others, so a file of both has two texts.
    private let format = TableFormat(
        prefix: "x_",
        creation: """
            CREATE TABLE x_note (text TEXT, size INTEGER, id INTEGER);
            CREATE INDEX x_by_size ON x_note (size);
            CREATE VIEW x_long AS SELECT id FROM x_note WHERE size > 100;
            """,
        steps: ["ALTER TABLE x_note ADD COLUMN size INTEGER;"])

    private func lacking(_ script: String, format number: Int64 = 2) throws -> String? {
        let connection = try Connection(path: ":memory:")
        defer { connection.close() }
        try connection.execute(script)
        do {
            try format.update(connection, from: number)
            return nil
        } catch let error as TableFormatError {
            guard case .lacking(let name) = error.cause else { throw error }
            return name
        }
    }

    private let rest = """
        CREATE INDEX x_by_size ON x_note (size);
        CREATE VIEW x_long AS SELECT id FROM x_note WHERE size > 100;
        """

    @Test func `a new file has all tables`() throws {
        #expect(try lacking(format.creation) == nil)
    }

    @Test func `a file that steps have altered has all columns`() throws {
        #expect(
            try lacking("CREATE TABLE x_note (text TEXT, id INTEGER);", format: 1) == "x_by_size")
        let altered = "CREATE TABLE x_note (text TEXT, id INTEGER, size INTEGER);"
        #expect(try lacking(altered + rest) == nil)
        #expect(try lacking(altered + rest + "CREATE TABLE mine (a);") == nil)
    }

    @Test func `the table, column, index or view that a file lacks is named`() throws {
        #expect(try lacking("") == "x_by_size")
        let table = "CREATE TABLE x_note (size INTEGER, id INTEGER);"
        #expect(try lacking(table + rest) == "x_note.text")
        let view = "CREATE VIEW x_long AS SELECT id FROM x_note WHERE size > 99;"
        #expect(
            try lacking(format.creation + "DROP VIEW x_long;" + view) == "x_long")
        #expect(try lacking(format.creation + "DROP INDEX x_by_size;") == "x_by_size")
    }
}
