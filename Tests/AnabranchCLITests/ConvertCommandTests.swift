import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@Suite(.waiting) struct ConvertCommandTests {
    private let folder: TemporaryDirectory
    private var source: String { folder.file("app.sqlite") }
    private var store: String { folder.file("new.store") }
    private var model: String { folder.file("App.xcdatamodel") }

    init() throws {
        folder = try TemporaryDirectory("anabranch-cli")
        try FileManager.default.createDirectory(
            atPath: model, withIntermediateDirectories: true)
        try Data(Self.modelText.utf8).write(to: URL(filePath: model).appending(path: "contents"))
        try makeSource(rows: 3)
    }

    private static let modelText = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="City">
                <attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="people" optional="YES" attributeType="Integer 16"/>
            </entity>
        </model>
        """

    private func makeSource(rows: Int) throws {
        try? FileManager.default.removeItem(atPath: source)
        let connection = try Connection(path: source)
        defer { connection.close() }
        try connection.execute(
            """
            CREATE TABLE Z_PRIMARYKEY
                (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'City', 0, \(rows));
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR, Z_PLIST BLOB);
            INSERT INTO Z_METADATA VALUES (1, 'AAAA-BBBB', NULL);
            CREATE TABLE ZCITY (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                ZPEOPLE INTEGER, ZNAME VARCHAR);
            WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
            INSERT INTO ZCITY SELECT i, 1, 1, CASE i WHEN 2 THEN 70000 ELSE i END, 'city ' || i
            FROM n;
            """)
    }

    @Test func `the objects of an app's store are there, and each doubtful value is listed`() throws
    {
        let run = try ToolRun(["convert", source, store, "--model", model])
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.lines.map(String.init) == [
                "Made \(store) of \(source), with 3 objects and 0 links:", "  City: 3",
                "1 doubtful value:",
                "  x-coredata://AAAA-BBBB/City/p2 people: found 70000, stored nothing",
            ])
        let cities = try ToolRun(["fetch", store, "City", "--json"])
        #expect(cities.lines.count == 3 && cities.output.contains("city 3"))
        #expect(try ToolRun(["verify", store, "--offline"]).status == 0)
    }

    @Test func `the report is written as JSON too`() throws {
        let run = try ToolRun(["convert", source, store, "--model", model, "--json"])
        #expect(
            run.output
                == "{\"store\":\"\(store)\",\"outcome\":\"created\",\"sourceUUID\":\"AAAA-BBBB\","
                + "\"objects\":{\"City\":3},\"links\":0,\"doubts\":[{\"entity\":\"City\","
                + "\"object\":\"x-coredata://AAAA-BBBB/City/p2\",\"property\":\"people\","
                + "\"found\":\"70000\",\"stored\":\"nothing\"}]}\n")
    }

    @Test func `the history is counted in the report`() throws {
        let connection = try Connection(path: source)
        try connection.execute(
            """
            CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, ZAUTHOR VARCHAR, ZTIMESTAMP FLOAT);
            INSERT INTO ATRANSACTION VALUES (1, 'Anna', 100), (2, 'Bert', 200);
            CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, ZCHANGETYPE INTEGER, ZENTITY INTEGER,
                ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER);
            INSERT INTO ACHANGE VALUES (1, 0, 1, 3, 1), (2, 0, 1, 4, 1), (3, 2, 1, 4, 2);
            """)
        connection.close()
        let run = try ToolRun(["convert", source, store, "--model", model])
        #expect(
            run.output.contains(
                "Its history:\n  transactions: 2\n  kept as change sets: 1\n  deleted objects: 1\n"
            ), "\(run.output)")
        let again = try ToolRun(["convert", source, store, "--model", model, "--json"])
        #expect(
            again.output.contains(
                "\"history\":{\"transactions\":2,\"kept\":1,\"deletedObjects\":1},"))
        let log = try ToolRun(["log", store])
        #expect(log.output.contains("Anna") && !log.output.contains("Bert"))
    }

    @Test func `a second run changes nothing and says so`() throws {
        #expect(try ToolRun(["convert", source, store, "--model", model]).status == 0)
        let bytes = try Data(contentsOf: URL(filePath: store))
        let again = try ToolRun(["convert", source, store, "--model", model])
        #expect(again.status == 0 && again.output.contains("stays as it is"))
        #expect(try Data(contentsOf: URL(filePath: store)) == bytes)
    }

    @Test func `what can't be converted ends with the right status and advice`() throws {
        let missing = try ToolRun(["convert", source + "x", store])
        #expect(missing.status == 66, "\(missing.errors)")
        let modelless = try ToolRun(["convert", source, store])
        #expect(modelless.status == 65 && modelless.errors.contains("--model FILE"))
        let other = folder.file("other.store")
        #expect(try ToolRun(["init", other, "--model", model]).status == 0)
        let taken = try ToolRun(["convert", source, other, "--model", model])
        #expect(taken.status == 73, "\(taken.errors)")
        #expect(try ToolRun(["convert", source, store, "--model-version", "2"]).status == 64)
        #expect(!FileManager.default.fileExists(atPath: store))
    }

    @Test func `export writes plain tables, and refuses an entity beside them`() throws {
        #expect(try ToolRun(["convert", source, store, "--model", model]).status == 0)
        let tables = folder.file("tables.sqlite")
        let run = try ToolRun(["export", store, "--sqlite", tables])
        #expect(run.output == "Wrote 3 records of \(store) to \(tables).\n", "\(run.errors)")
        let connection = try Connection(path: tables, mode: .readOnly)
        #expect(try connection.rows("SELECT name FROM City ORDER BY people").count == 3)
        #expect(try ToolRun(["export", store, "City", "--sqlite", tables]).status == 64)
        #expect(try ToolRun(["export", store]).status == 64)
        let nowhere = try ToolRun(["export", store, "--sqlite", folder.file("none/a.sqlite")])
        #expect(nowhere.status == 73 && nowhere.errors.contains("none/a.sqlite"))
    }

    /// Kills conversions at random moments: afterwards there is no store, or the whole one.
    @Test func `a killed conversion leaves no store or the whole one`() throws {
        try makeSource(rows: 5000)
        let whole = folder.file("whole.store")
        let started = ContinuousClock.now
        #expect(try ToolRun(["convert", source, whole, "--model", model]).status == 0)
        let duration = ContinuousClock.now - started
        let hash = try ToolRun(["hash", whole]).output.prefix(64)
        for round in TestLength.seeds(TestLength.current == .long ? 200 : 40) {
            var random = SeededGenerator(seed: round)
            let target = folder.file("killed-\(round).store")
            let process = Process()
            process.executableURL = try ToolRun.executable()
            process.arguments = ["convert", source, target, "--model", model]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            let wait = duration * Double.random(in: 0...1.1, using: &random)
            usleep(UInt32(wait / .microseconds(1)))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            if FileManager.default.fileExists(atPath: target) {
                #expect(try ToolRun(["hash", target]).output.prefix(64) == hash)
            }
            // The next conversion removes what the killed one has left.
            #expect(try ToolRun(["convert", source, target, "--model", model]).status == 0)
            #expect(try ToolRun(["hash", target]).output.prefix(64) == hash)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.filter { $0.contains("killed-\(round).store.") }.isEmpty)
        }
    }
}
