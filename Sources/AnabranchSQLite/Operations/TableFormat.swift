import Synchronization

/// The formats of one kind of SQLite file, numbered from 1.
///
/// To change the tables, change `creation` and append the script that brings a file of the latest
/// format into the new one to `steps`. A script that was released never changes.
package final class TableFormat: Sendable {
    /// The script that creates the tables of the latest format.
    package let creation: String
    /// The scripts that make each format from the one before it, beginning with format 2.
    package let steps: [String]
    /// The beginning of the names of all tables, indexes and views of the format.
    private let prefix: String
    /// The statements that `creation` leaves in the schema, once a file was compared with them.
    private let statements = Mutex<Set<String>?>(nil)

    package init(prefix: String = "", creation: String, steps: [String] = []) {
        self.prefix = prefix
        self.creation = creation
        self.steps = steps
    }

    package var latest: Int64 { Int64(steps.count) + 1 }

    /// Checks that a format is a known one.
    ///
    /// - Throws: ``TableFormatError`` `later` or `unreleased`.
    package func check(_ format: Int64, of connection: Connection) throws {
        guard format <= latest else {
            throw TableFormatError(.later(format, known: latest), path: connection.path)
        }
        guard format >= 1 else {
            throw TableFormatError(.unreleased(format), path: connection.path)
        }
    }

    /// Brings the tables of a file into the latest format, and checks that it has all of them.
    ///
    /// Call it within a write transaction if the format is an earlier one, and record the number
    /// of the latest one in the same transaction.
    ///
    /// - Throws: ``TableFormatError``.
    package func update(_ connection: Connection, from format: Int64) throws {
        try check(format, of: connection)
        for step in steps[Int(format - 1)...] { try connection.execute(step) }
        // A step may alter a table, so its columns decide if its statement differs.
        guard try !createdStatements().isSubset(of: connection.schemaStatements(prefix: prefix))
        else { return }
        let created = try afterCreation { try $0.schemaNames(prefix: prefix) }
        let lacking = try created.subtracting(connection.schemaNames(prefix: prefix))
        if let name = lacking.min()?.prefix(while: { $0 != "\n" }) {
            throw TableFormatError(.lacking(String(name)), path: connection.path)
        }
    }

    private func createdStatements() throws -> Set<String> {
        try statements.withLock { known in
            if let known { return known }
            let read = try afterCreation { try $0.schemaStatements(prefix: prefix) }
            known = read
            return read
        }
    }

    /// Reads from a database in memory with the tables of the latest format.
    private func afterCreation(
        _ body: (Connection) throws -> Set<String>
    ) throws -> Set<String> {
        let connection = try Connection(path: ":memory:")
        defer { connection.close() }
        try connection.execute(creation)
        return try body(connection)
    }
}

/// The reason for which the tables of a file can't be used.
package struct TableFormatError: Error, Hashable, CustomStringConvertible {
    package enum Cause: Hashable, Sendable {
        /// The format is later than those that this program knows: update the program.
        case later(Int64, known: Int64)
        /// No released program wrote the format.
        case unreleased(Int64)
        /// A table, index or view, or a column as `table.column`, is missing.
        case lacking(String)
    }

    package let cause: Cause
    package let path: String

    init(_ cause: Cause, path: String) {
        self.cause = cause
        self.path = path
    }

    package var description: String {
        let reason =
            switch cause {
            case .later(let format, let known):
                "its format is \(format) and this program knows formats up to \(known). Update "
                    + "the program. If a development build wrote the file, no released program "
                    + "reads it."
            case .unreleased(let format):
                "no released program wrote its format \(format). Restore a backup, or begin with "
                    + "a new file."
            case .lacking(let name):
                "it lacks \(name): it is damaged, or a development build wrote it, whose files no "
                    + "released program reads. Restore a backup, or begin with a new file."
            }
        return "Can't open \(path) because \(reason)"
    }
}

extension Connection {
    /// The statements of the tables, indexes and views that begin with a prefix.
    fileprivate func schemaStatements(prefix: String) throws -> Set<String> {
        let statement = try prepare(
            "SELECT sql FROM sqlite_schema WHERE name GLOB ? AND sql NOT NULL")
        try statement.bind(prefix + "*", at: 1)
        var statements: Set<String> = []
        while try statement.step() { statements.insert(statement.string(at: 0)) }
        return statements
    }

    /// The names of the tables, indexes and views that begin with a prefix, and of the columns as
    /// `table.column`; those of views also with their text behind an end of line.
    fileprivate func schemaNames(prefix: String) throws -> Set<String> {
        let statement = try prepare(
            """
            SELECT s.name, p.name, CASE s.type WHEN 'view' THEN s.sql END
            FROM sqlite_schema s LEFT JOIN pragma_table_info(s.name) p WHERE s.name GLOB ?
            """)
        try statement.bind(prefix + "*", at: 1)
        var names: Set<String> = []
        while try statement.step() {
            let name = statement.string(at: 0)
            names.insert(statement.isNull(at: 1) ? name : name + "." + statement.string(at: 1))
            if !statement.isNull(at: 2) { names.insert(name + "\n" + statement.string(at: 2)) }
        }
        return names
    }
}
