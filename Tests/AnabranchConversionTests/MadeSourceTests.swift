import Anabranch
import AnabranchConversion
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

/// Shapes of tables and doubtful values that the fixtures do not have.
@Suite struct MadeSourceTests {
    private typealias Finder = (String) throws -> ManagedObject

    private func doubts(_ report: ConversionReport) -> [String] {
        report.doubts.map(\.description)
    }

    @Test func `two sub-entities with one name of a property have columns of their own`() throws {
        let source = try MadeSource()
        let report = try source.convert()
        #expect(doubts(report).isEmpty)
        #expect(
            report.objectCounts == [
                "Part": 1, "Tool": 1, "Card": 0, "Note": 0, "Tag": 0, "Thing": 0,
            ])
        try source.withObjects { (find: Finder) throws in
            #expect(try find("Part/p1").value(forKey: "text") == "part")
            #expect(
                try find("Part/p1").value(forKey: "weight")
                    == .decimal(try #require(ExactDecimal("10.11"))))
            #expect(try find("Tool/p2").value(forKey: "text") == "tool")
            #expect(try find("Tool/p2").value(forKey: "size") == 7)
        }
    }

    @Test func `an old URI of the super-entity names the object too`() throws {
        let source = try MadeSource()
        _ = try source.convert()
        try source.withObjects { (find: Finder) throws in
            #expect(try find("Thing/p2") === find("Tool/p2"))
            #expect(throws: (any Error).self) { try find("Tool/p99") }
            #expect(throws: (any Error).self) { try find("Nothing/p1") }
            #expect(throws: (any Error).self) { try find("Tool/x2") }
        }
    }

    @Test func `the order of a list is that of its numbers`() throws {
        let source = try MadeSource(
            """
            INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTHING, Z4_THING, Z_FOK_THING) VALUES
                (1, 2, 1, 1, 5, 4096), (2, 2, 1, 1, 5, 2048), (3, 2, 1, 2, 6, 1),
                (4, 2, 1, 1, 5, 3072);
            """)
        #expect(doubts(try source.convert()).isEmpty)
        try source.withObjects { (find: Finder) throws in
            let notes = try find("Part/p1").objects(forKey: "notes")
            #expect(
                Array(notes) == [try find("Note/p2"), try find("Note/p4"), try find("Note/p1")])
        }
    }

    @Test func `a many-to-many keeps the order of both sides`() throws {
        let source = try MadeSource(
            """
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZISHIDDEN) VALUES
                (1, 3, 1, 0), (2, 3, 1, 1), (3, 3, 1, 0);
            INSERT INTO Z_3THINGS (Z_3TAGS, Z_4THINGS, Z_FOK_3TAGS, Z_FOK_4THINGS) VALUES
                (1, 1, 3072, 20), (2, 1, 1024, 1), (3, 1, 2048, 1), (1, 2, 1, 10);
            INSERT INTO Z_3PEERS VALUES (1, 2), (2, 1), (3, 3);
            """)
        let report = try source.convert()
        #expect(doubts(report).isEmpty)
        try source.withObjects { (find: Finder) throws in
            let tags = try (1...3).map { try find("Tag/p\($0)") }
            let (part, tool) = (try find("Part/p1"), try find("Tool/p2"))
            #expect(Array(try part.objects(forKey: "tags")) == [tags[1], tags[2], tags[0]])
            #expect(Array(try tags[0].objects(forKey: "things")) == [tool, part])
            #expect(Set(try tags[0].objects(forKey: "peers")) == [tags[1]])
            #expect(Set(try tags[1].objects(forKey: "peers")) == [tags[0]])
            #expect(try tags[1].value(forKey: "isHidden") == true)
        }
    }

    @Test func `a list that is its own inverse keeps the order of every object`() throws {
        let folder = try TemporaryDirectory("anabranch-made")
        let source = folder.url.appending(path: "peers.sqlite")
        let connection = try Connection(path: source.path)
        try connection.execute(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER, Z_NAME VARCHAR, Z_SUPER INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Tag', 0);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER, Z_UUID VARCHAR);
            INSERT INTO Z_METADATA VALUES (1, '\(MadeSource.uuid)');
            CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZNAME VARCHAR);
            INSERT INTO ZTAG VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 1, 'c');
            CREATE TABLE Z_1PEERS (Z_1PEERS INTEGER, REFLEXIVE INTEGER, Z_FOK_1PEERS INTEGER);
            INSERT INTO Z_1PEERS VALUES
                (3, 1, 1), (2, 1, 2), (3, 2, 1), (1, 2, 2), (1, 3, 1), (2, 3, 2);
            """)
        connection.close()
        let model = try ManagedObjectModel {
            EntityDeclaration("Tag") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("peers", toMany: "Tag", ordered: true, inverse: "peers")
            }
        }
        let store = folder.url.appending(path: "peers.store")
        _ = try StoreConversion(source: source, model: model).run(to: store)
        let tables = folder.url.appending(path: "tables.sqlite")
        _ = try TableExport(store: store).run(to: tables)
        let exported = try Connection(path: tables.path, mode: .readOnly)
        let peers = try exported.rows(
            """
            SELECT o.name || m.name FROM Tag_peers p JOIN Tag o ON o.id = p.owner
            JOIN Tag m ON m.id = p.member ORDER BY o.name, p.position
            """)
        #expect(
            peers.map { "\($0)" }
                == ["ac", "ab", "bc", "ba", "ca", "cb"].map {
                    "\([SQLiteValue.text($0)])"
                })
    }

    @Test func `a to-one that is its own inverse keeps the pairs that both rows have`() throws {
        let folder = try TemporaryDirectory("anabranch-made")
        let source = folder.url.appending(path: "people.sqlite")
        let connection = try Connection(path: source.path)
        try connection.execute(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER, Z_NAME VARCHAR, Z_SUPER INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Person', 0);
            CREATE TABLE Z_METADATA (Z_VERSION INTEGER, Z_UUID VARCHAR);
            INSERT INTO Z_METADATA VALUES (1, '\(MadeSource.uuid)');
            CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZNAME VARCHAR,
                ZSPOUSE INTEGER);
            INSERT INTO ZPERSON VALUES (1, 1, 'a', 2), (2, 1, 'b', 1), (3, 1, 'c', 3),
                (4, 1, 'd', 1), (5, 1, 'e', 6), (6, 1, 'f', NULL);
            """)
        connection.close()
        let model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("spouse", to: "Person", inverse: "spouse")
            }
        }
        let store = folder.url.appending(path: "people.store")
        let report = try StoreConversion(source: source, model: model).run(to: store)
        let found = doubts(report).sorted()
        #expect(found.count == 2)
        #expect(found.first?.contains("p4 spouse") == true)
        #expect(found.last?.contains("refers back to no object, stored nothing") == true)
        let tables = folder.url.appending(path: "tables.sqlite")
        _ = try TableExport(store: store).run(to: tables)
        let exported = try Connection(path: tables.path, mode: .readOnly)
        let pairs = try exported.rows(
            "SELECT p.name || o.name FROM Person p JOIN Person o ON o.id = p.spouse ORDER BY 1")
        #expect(pairs.map { "\($0)" } == ["ab", "ba", "cc"].map { "\([SQLiteValue.text($0)])" })
    }

    @Test func `references and links to missing objects are reported and left out`() throws {
        let source = try MadeSource(
            """
            INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTHING, Z_FOK_THING) VALUES (1, 2, 1, 77, 1);
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1);
            INSERT INTO Z_3THINGS VALUES (1, 88, 1, 1);
            """)
        let report = try source.convert()
        #expect(
            doubts(report) == [
                "\(source.uri("Note/p1")) thing: found the missing object "
                    + "\(source.uri("Thing/p77")), stored nothing",
                "Tag things: found a link from \(source.uri("Tag/p1")) to "
                    + "\(source.uri("Thing/p88")), one of which is missing, stored no link",
            ])
        #expect(report.linkCount == 0)
        try source.withObjects { (find: Finder) throws in
            #expect(try find("Note/p1").object(forKey: "thing") == nil)
        }
    }

    @Test func `the object at the other end decides a one-to-one with two sides`() throws {
        let source = try MadeSource(
            """
            INSERT INTO ZCARD (Z_PK, Z_ENT, Z_OPT, ZTHING, Z4_THING) VALUES
                (1, 1, 1, 2, 6), (2, 1, 1, 2, 6);
            UPDATE ZTHING SET ZCARD = 2 WHERE Z_PK = 2;
            """)
        let report = try source.convert()
        #expect(report.doubts.count == 1)
        #expect(report.doubts.first?.uri == source.uri("Card/p1"))
        try source.withObjects { (find: Finder) throws in
            let tool = try find("Tool/p2")
            #expect(try find("Card/p2").object(forKey: "thing") === tool)
            #expect(try find("Card/p1").object(forKey: "thing") == nil)
            #expect(try tool.object(forKey: "card") === find("Card/p2"))
        }
    }

    @Test func `external values are read from their files`() throws {
        let source = try MadeSource(
            """
            UPDATE ZTHING SET ZPHOTO = x'01AABB' WHERE Z_PK = 1;
            INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZPHOTO) VALUES
                (3, 5, 1, 'a',
                    CAST(x'02' || '11111111-2222-3333-4444-555555555555' || x'00' AS BLOB)),
                (4, 5, 1, 'b', CAST(x'02' || '99999999-2222-3333-4444-555555555555' AS BLOB)),
                (5, 5, 1, 'c', CAST(x'02' || '../../made.sqlite' AS BLOB)),
                (6, 5, 1, 'd', x'07AA'), (7, 5, 1, 'e', x'');
            """)
        let values = source.folder.url.appending(path: ".made_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: values, withIntermediateDirectories: true)
        try Data([1, 2, 3]).write(
            to: values.appending(path: "11111111-2222-3333-4444-555555555555"))
        let report = try source.convert()
        #expect(
            report.doubts.map(\.found) == [
                "no file 99999999-2222-3333-4444-555555555555 with the value",
                "a name of a file that is no UUID", "2 bytes with the unknown mark 7",
                "no bytes, not even the mark of its form",
            ])
        try source.withObjects { (find: Finder) throws in
            #expect(try find("Part/p1").value(forKey: "photo") == .data(Data([0xAA, 0xBB])))
            #expect(try find("Part/p3").value(forKey: "photo") == .data(Data([1, 2, 3])))
            #expect(try find("Part/p4").value(forKey: "photo") == .null)
            #expect(try find("Part/p5").value(forKey: "photo") == .null)
            #expect(try find("Part/p6").value(forKey: "photo") == .data(Data([7, 0xAA])))
        }
    }

    @Test func `every doubtful value is reported with what was found and stored`() throws {
        let source = try MadeSource(
            """
            INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZSIZE) VALUES
                (3, 6, 1, NULL, 70000), (4, 6, 1, 'much too long', 'seven'), (5, 6, 1, x'FF', 5.0);
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZISHIDDEN) VALUES (1, 3, 1, 2);
            INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTHING, Z_FOK_THING, ZMADE, ZKEY) VALUES
                (1, 2, 1, NULL, NULL, 'soon', x'0102');
            """)
        let report = try source.convert()
        let tool = { (key: Int) in source.uri("Tool/p\(key)") }
        #expect(
            Set(doubts(report)) == [
                "\(source.uri("Note/p1")) key: found 2 bytes, stored nothing",
                "\(source.uri("Note/p1")) made: found \"soon\", stored nothing",
                "\(source.uri("Note/p1")) thing: found nothing, stored nothing, though it is not "
                    + "optional",
                "\(source.uri("Tag/p1")) isHidden: found 2, stored true",
                "\(tool(3)) title: found nothing, stored nothing, though it is not optional",
                "\(tool(3)) size: found 70000, stored nothing",
                "\(tool(4)) title: found \"much too long\", stored the same, though it is too long",
                "\(tool(4)) size: found \"seven\", stored nothing",
                "\(tool(5)) title: found 1 bytes, stored nothing",
            ])
    }

    @Test func `rows in the write-ahead log are converted and the log stays`() throws {
        let source = try MadeSource()
        let writer = try Connection(path: source.url.path)
        defer { writer.close() }
        try writer.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1);
            """)
        let log = URL(filePath: source.url.path + "-wal")
        let before = [try Data(contentsOf: source.url), try Data(contentsOf: log)]
        #expect(!before[1].isEmpty)
        #expect(try source.convert().objectCounts["Tag"] == 1)
        #expect([try Data(contentsOf: source.url), try Data(contentsOf: log)] == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: source.folder.path)
        #expect(names.filter { $0.hasPrefix(".") }.isEmpty)
    }

    @Test func `a source that has changed since is refused and the store stays`() throws {
        let source = try MadeSource()
        _ = try source.convert()
        let bytes = try Data(contentsOf: source.target)
        let writer = try Connection(path: source.url.path)
        try writer.execute("INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1)")
        writer.close()
        let error = #expect(throws: ConversionError.self) { try source.convert() }
        #expect(error?.code == .otherStore)
        #expect(try Data(contentsOf: source.target) == bytes)
    }

    @Test func `a store that was edited since is left as it is`() throws {
        let source = try MadeSource()
        _ = try source.convert()
        let container = try source.open()
        try container.newBackgroundContext().performAndWait { context in
            try context.insert("Tag")["isHidden"] = true
            try context.save()
        }
        let hash = try container.coordinator.canonicalHash()
        #expect(try source.convert().outcome == .unchanged)
        #expect(try container.coordinator.canonicalHash() == hash)
        container.coordinator.close()
    }

    @Test func `files that are no source are refused`() throws {
        let source = try MadeSource()
        let other = source.folder.url.appending(path: "other")
        func code(_ url: URL, _ model: ManagedObjectModel? = MadeSource.model) -> ConversionError
            .Code?
        {
            do {
                _ = try StoreConversion(source: url, model: model).run(to: source.target)
                return nil
            } catch { return (error as? ConversionError)?.code }
        }
        #expect(code(other) == .cannotOpen)
        try Data("no database, but a text that is long enough".utf8).write(to: other)
        #expect(code(other) == .notAStore)
        try FileManager.default.removeItem(at: other)
        let connection = try Connection(path: other.path)
        try connection.execute("CREATE TABLE a (b)")
        connection.close()
        #expect(code(other) == .notAStore)
        #expect(code(source.url, nil) == .noModel)
        let model = try ManagedObjectModel {
            EntityDeclaration("Unknown") { AttributeDeclaration("a", .string) }
        }
        #expect(code(source.url, model) == .otherModel)
        let name = try #require(MadeSource.model.entities.first?.name)
        let composite = try ManagedObjectModel {
            EntityDeclaration(name) {
                CompositeAttribute("c") { AttributeDeclaration("x", .string) }
            }
        }
        #expect(code(source.url, composite) == .notSupportedYet)
        #expect(!FileManager.default.fileExists(atPath: source.target.path))
    }
}
