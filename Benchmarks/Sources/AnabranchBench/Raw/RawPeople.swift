import CRawSQLite

/// The table that a store keeps persons in, without the columns and the log that are ours.
struct RawPeople {
    let database: RawDatabase

    /// - Parameter isNew: Makes the table, with the index that the model declares.
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

    func insert(_ people: PeopleData) throws {
        try database.transaction(
            "INSERT INTO Person (pk, age, firstName, lastName) VALUES (?, ?, ?, ?)"
        ) { statement in
            for row in 0..<people.count {
                sqlite3_bind_int64(statement, 1, Int64(row + 1))
                sqlite3_bind_int64(statement, 2, people.ages[row])
                people.firstUTF8.bind(row, to: statement, at: 3)
                people.lastUTF8.bind(row, to: statement, at: 4)
                try database.step(statement)
            }
        }
    }

    /// - Returns: A sum over every column, which shows that every value was read.
    func readAll() throws -> Int64 {
        try read("SELECT pk, age, firstName, lastName FROM Person") { statement in
            var sum = sqlite3_column_int64(statement, 0) &+ sqlite3_column_int64(statement, 1)
            for column in Int32(2)...3 {
                guard let text = sqlite3_column_text(statement, column) else { continue }
                sum &+= Int64(text[0]) &+ Int64(sqlite3_column_bytes(statement, column))
            }
            return sum
        }
    }

    /// - Returns: The IDs of persons of at least one age and at most another.
    func ids(agesFrom first: Int64, to last: Int64) throws -> [Int64] {
        let statement = try database.prepare("SELECT pk FROM Person WHERE age >= ? AND age <= ?")
        defer { sqlite3_finalize(statement) }
        sqlite3_bind_int64(statement, 1, first)
        sqlite3_bind_int64(statement, 2, last)
        var ids: [Int64] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            ids.append(sqlite3_column_int64(statement, 0))
        }
        return ids
    }

    /// Sets one attribute of every person.
    func updateLastNames(_ names: UTF8Column) throws {
        try database.transaction("UPDATE Person SET lastName = ? WHERE pk = ?") { statement in
            for row in 0..<names.count {
                names.bind(row, to: statement, at: 1)
                sqlite3_bind_int64(statement, 2, Int64(row + 1))
                try database.step(statement)
            }
        }
    }

    /// Adds one to the age of the persons of some rows.
    func growOlder(rows: [Int], from ages: [Int64]) throws {
        try database.transaction("UPDATE Person SET age = ? WHERE pk = ?") { statement in
            for row in rows {
                sqlite3_bind_int64(statement, 1, ages[row] + 1)
                sqlite3_bind_int64(statement, 2, Int64(row + 1))
                try database.step(statement)
            }
        }
    }

    private func read(_ sql: String, _ body: (OpaquePointer) -> Int64) throws -> Int64 {
        let statement = try database.prepare(sql)
        defer { sqlite3_finalize(statement) }
        var sum: Int64 = 0
        while sqlite3_step(statement) == SQLITE_ROW { sum &+= body(statement) }
        return sum
    }
}
