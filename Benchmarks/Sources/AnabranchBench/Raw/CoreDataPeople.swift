/// Persons in a file as Core Data writes it.
enum CoreDataPeople {
    /// Creates a store of Core Data with persons.
    static func create(at path: String, count: Int) throws {
        let database = try RawDatabase(path: path)
        try database.run(
            """
            BEGIN;
            CREATE TABLE Z_METADATA
                (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            INSERT INTO Z_METADATA VALUES (1, '0A1B2C3D-0000-4000-8000-000000000002', NULL);
            CREATE TABLE Z_PRIMARYKEY
                (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Person', 0, \(count));
            CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZAGE INTEGER, ZFIRSTNAME VARCHAR, ZLASTNAME VARCHAR);
            \(numbers(count))
            INSERT INTO ZPERSON SELECT i, 1, 1, i * 7919 % 1000, 'First' || i,
                'Last' || (i * 31 % 1000003) FROM n;
            CREATE INDEX Z_Person_byAge ON ZPERSON (ZAGE COLLATE BINARY ASC);
            COMMIT;
            """)
    }

    /// Adds a history in which transactions insert the persons one after another. Each tenth person
    /// is changed later.
    static func addHistory(to path: String, count: Int, inTransaction size: Int) throws {
        let database = try RawDatabase(path: path)
        let transactions = count / size
        try database.run(
            """
            BEGIN;
            CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER,
                Z_OPT INTEGER, ZNAME VARCHAR);
            INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'app');
            CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZAUTHORTS INTEGER, ZTIMESTAMP FLOAT);
            \(numbers(transactions + 1))
            INSERT INTO ATRANSACTION SELECT i, 16002, NULL, 1, 600000000.0 + i FROM n;
            CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER,
                ZCOLUMNS BLOB);
            \(numbers(count))
            INSERT INTO ACHANGE SELECT NULL, 16001, NULL, 0, 1, i, (i - 1) / \(size) + 1, NULL
                FROM n;
            INSERT INTO ACHANGE SELECT NULL, 16001, NULL, 1, 1, ZENTITYPK, ZTRANSACTIONID + 1, x'04'
                FROM ACHANGE WHERE ZENTITYPK % 10 = 0;
            CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID);
            COMMIT;
            """)
    }

    /// Copies all persons with one statement in one transaction.
    static func copy(from source: String, to people: RawPeople) throws {
        try people.database.run(
            """
            ATTACH '\(source)' AS source;
            BEGIN IMMEDIATE;
            INSERT INTO Person SELECT Z_PK, ZAGE, ZFIRSTNAME, ZLASTNAME FROM source.ZPERSON;
            COMMIT;
            """)
    }

    /// The beginning of a statement that selects the numbers from 1 as `n.i`.
    private static func numbers(_ count: Int) -> String {
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
    }
}
