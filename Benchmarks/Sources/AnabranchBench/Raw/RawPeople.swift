import CRawSQLite

/// The table in which a store keeps persons, without Anabranch's own columns and log.
struct RawPeople {
    let database: RawDatabase

    /// Opens a database.
    ///
    /// - Parameter isNew: True to create the table, with the index that the model declares.
    init(path: String, isNew: Bool = true) throws {
        database = try RawDatabase(path: path)
        guard isNew else { return }
        try database.run(
            """
            CREATE TABLE Person (
                pk INTEGER PRIMARY KEY, age INTEGER, firstName TEXT, lastName TEXT);
            CREATE INDEX Person_byAge ON Person (age);
            """)
    }

    /// Inserts all persons in one transaction: many rows a statement, in the order of their keys,
    /// with texts bound without a copy.
    ///
    /// With `OR FAIL` a statement that fails keeps the rows that it has written. Without it SQLite
    /// copies each page before a statement of many rows changes it, and eight rows a statement
    /// take more than twice the time of one. A virtual table as the source of the rows is no
    /// faster than the parameters. Creating the index after the rows saves a quarter of the time,
    /// but a save can't do that: the table may have rows and readers.
    func insert(_ people: PeopleData) throws {
        try database.write(rowCount: people.count, width: 4) { rows in
            """
            INSERT OR FAIL INTO Person (pk, age, firstName, lastName)
            VALUES \(Self.marks(4, rows: rows))
            """
        } bind: { row, statement, first in
            sqlite3_bind_int64(statement, first, Int64(row + 1))
            sqlite3_bind_int64(statement, first + 1, people.ages[row])
            people.firstUTF8.bind(row, to: statement, at: first + 2)
            people.lastUTF8.bind(row, to: statement, at: first + 3)
        }
    }

    /// The parameters of a number of rows, as they follow VALUES.
    private static func marks(_ width: Int, rows: Int) -> String {
        let row = "(\(Array(repeating: "?", count: width).joined(separator: ", ")))"
        return Array(repeating: row, count: rows).joined(separator: ", ")
    }

    /// Reads every column of every row: numbers where SQLite has them, texts as strings.
    ///
    /// - Returns: A sum over every column, which proves that all values were read.
    func readAll() throws -> Int64 {
        var sum: Int64 = 0
        try database.take("SELECT take(pk, age, firstName, lastName) FROM Person", into: &sum) {
            context, _, values in
            guard let values, let sum = RawDatabase.state(of: context, as: Int64.self) else {
                return
            }
            let names = String(raw: values[2]).utf8.count + String(raw: values[3]).utf8.count
            sum.pointee &+=
                sqlite3_value_int64(values[0]) &+ sqlite3_value_int64(values[1]) &+ Int64(names)
        }
        return sum
    }

    /// Finds the IDs of the persons in a range of ages, both ends included, by the index.
    func ids(agesFrom first: Int64, to last: Int64) throws -> [Int64] {
        var ids: [Int64] = []
        try database.take(
            "SELECT take(pk) FROM Person WHERE age >= \(first) AND age <= \(last)", into: &ids
        ) { context, _, values in
            guard let values, let ids = RawDatabase.state(of: context, as: [Int64].self) else {
                return
            }
            ids.pointee.append(sqlite3_value_int64(values[0]))
        }
        return ids
    }

    /// Sets one attribute of every person, in the order of their keys.
    ///
    /// An INSERT with ON CONFLICT DO UPDATE updates many rows with one statement, in two fifths of
    /// the time of an UPDATE for each row. One UPDATE with CASE for many rows takes two thirds of
    /// that time, and UPDATE FROM VALUES all of it. A virtual table as the source of the rows is no
    /// faster than the parameters.
    func updateLastNames(_ names: UTF8Column) throws {
        try database.write(rowCount: names.count, width: 2) { rows in
            """
            INSERT INTO Person (pk, lastName) VALUES \(Self.marks(2, rows: rows))
            ON CONFLICT (pk) DO UPDATE SET lastName = excluded.lastName
            """
        } bind: { row, statement, first in
            sqlite3_bind_int64(statement, first, Int64(row + 1))
            names.bind(row, to: statement, at: first + 1)
        }
    }

    /// Adds one to the age of the persons in some rows.
    func growOlder(rows: [Int], from ages: [Int64]) throws {
        try database.transaction("UPDATE Person SET age = ? WHERE pk = ?") { statement in
            for row in rows {
                sqlite3_bind_int64(statement, 1, ages[row] + 1)
                sqlite3_bind_int64(statement, 2, Int64(row + 1))
                try database.step(statement)
            }
        }
    }
}
