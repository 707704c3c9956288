import Anabranch
import AnabranchConversion
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@Suite struct TableExportTests {
    private func export(_ source: MadeSource) throws -> (count: Int, tables: Connection) {
        let file = source.folder.url.appending(path: "tables.sqlite")
        let count = try TableExport(store: source.target).run(to: file)
        return (count, try Connection(path: file.path, mode: .readOnly))
    }

    @Test func `every object is a row of its entity's table`() throws {
        let source = try MadeSource(
            """
            INSERT INTO ZCARD (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZTHING) VALUES (1, 1, 1, 42, 2);
            UPDATE ZTHING SET ZCARD = 1 WHERE Z_PK = 2;
            INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTHING, Z_FOK_THING, ZMADE, ZKEY) VALUES
                (1, 2, 1, 1, 2, 0.5, x'00112233445566778899AABBCCDDEEFF'),
                (2, 2, 1, 1, 1, NULL, NULL);
            """)
        _ = try source.convert()
        let (count, tables) = try export(source)
        #expect(count == 5)
        let names = try tables.rows("SELECT name FROM sqlite_master ORDER BY name").joined()
        #expect(
            Array(names)
                == [
                    "Card", "Note", "Part", "Tag", "Tag_peers", "Tag_things", "Thing_notes",
                    "Thing_tags", "Tool",
                ].map { .text($0) })
        let parts = try tables.rows("SELECT title, text, weight FROM Part")
        #expect(parts == [[.text("one"), .text("part"), .text("10.11")]])
        let cards = try tables.rows(
            "SELECT number, t.title FROM Card JOIN Tool t ON t.id = Card.thing")
        #expect(cards == [[.integer(42), .text("two")]])
        let notes = try tables.rows(
            "SELECT made, key FROM Note ORDER BY made DESC")
        #expect(
            notes == [
                [.real(978_307_200.5), .text("00112233-4455-6677-8899-AABBCCDDEEFF")],
                [.null, .null],
            ])
    }

    @Test func `lists and links have tables with their order`() throws {
        let source = try MadeSource(
            """
            INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTHING, Z_FOK_THING, ZMADE) VALUES
                (1, 2, 1, 1, 20, 1), (2, 2, 1, 1, 10, 2), (3, 2, 1, 2, 5, 3);
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZISHIDDEN) VALUES (1, 3, 1, 0), (2, 3, 1, 1);
            INSERT INTO Z_3THINGS (Z_3TAGS, Z_4THINGS, Z_FOK_3TAGS, Z_FOK_4THINGS) VALUES
                (1, 1, 2, 1), (2, 1, 1, 1);
            INSERT INTO Z_3PEERS VALUES (1, 2), (2, 1);
            """)
        _ = try source.convert()
        let tables = try export(source).tables
        let notes = try tables.rows(
            """
            SELECT position, made - 978307200 FROM Thing_notes JOIN Part p ON p.id = owner
            JOIN Note n ON n.id = member ORDER BY position
            """)
        #expect(notes == [[.integer(0), .real(2)], [.integer(1), .real(1)]])
        let tags = try tables.rows(
            """
            SELECT isHidden FROM Thing_tags JOIN Tag t ON t.id = member ORDER BY position
            """)
        #expect(tags == [[.integer(1)], [.integer(0)]])
        #expect(try tables.firstValue("SELECT count(*) FROM Tag_peers") == .integer(2))
    }

    @Test(.needsFixtures, arguments: FixtureStore.all)
    func `a converted store has its rows in the tables again`(_ store: FixtureStore) throws {
        let folder = try TemporaryDirectory("anabranch-tables")
        let target = folder.url.appending(path: "new.store")
        let report = try store.conversion().run(to: target)
        let file = folder.url.appending(path: "tables.sqlite")
        #expect(try TableExport(store: target).run(to: file) == report.objectCount)
        let tables = try Connection(path: file.path, mode: .readOnly)
        for (name, count) in report.objectCounts
        where report.model.entity(named: name)?.isAbstract == false {
            let found = try tables.firstValue("SELECT count(*) FROM \"\(name)\"")
            #expect(found == .integer(Int64(count)), "\(name)")
        }
    }

    @Test func `a file that exists is left alone`() throws {
        let source = try MadeSource()
        _ = try source.convert()
        let file = source.folder.url.appending(path: "tables.sqlite")
        try Data("mine".utf8).write(to: file)
        let error = #expect(throws: ConversionError.self) {
            try TableExport(store: source.target).run(to: file)
        }
        #expect(error?.code == .otherStore)
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
    }
}
