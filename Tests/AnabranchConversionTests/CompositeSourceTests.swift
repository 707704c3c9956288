import Anabranch
import AnabranchConversion
import Foundation
import TestSupport
import Testing

/// Conversions of stores with composite attributes, in both forms of their columns' names.
@Suite struct CompositeSourceTests {
    /// A form of the names of columns.
    enum Form: CaseIterable {
        case path, own

        func column(_ element: String) -> String {
            let steps = element.split(separator: ".")
            let name = self == .path ? steps.joined(separator: "_") : String(steps.last ?? "")
            return "Z" + name.uppercased()
        }
    }

    static let elements = [
        ("address.street", "VARCHAR"), ("address.number", "INTEGER"),
        ("address.since", "TIMESTAMP"), ("address.isHome", "INTEGER"), ("address.key", "BLOB"),
        ("address.rent", "DECIMAL"), ("address.location.latitude", "FLOAT"),
        ("address.location.longitude", "FLOAT"),
    ]

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                CompositeAttribute("address") {
                    AttributeDeclaration("street", .string)
                    AttributeDeclaration("number", .integer16)
                    AttributeDeclaration("since", .date)
                    AttributeDeclaration("isHome", .boolean)
                    AttributeDeclaration("key", .uuid)
                    AttributeDeclaration("rent", .decimal)
                    CompositeAttribute("location") {
                        AttributeDeclaration("latitude", .double, optional: false)
                        AttributeDeclaration("longitude", .double)
                    }
                }
            }
        }
    }

    private func source(_ columns: [String], rows: String = "") throws -> MadeSource {
        let all = ["ZNAME VARCHAR"] + columns
        return try MadeSource(
            rows,
            tables: """
                CREATE TABLE Z_PRIMARYKEY
                    (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
                INSERT INTO Z_PRIMARYKEY VALUES (1, 'Person', 0, 9);
                CREATE TABLE Z_METADATA
                    (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
                INSERT INTO Z_METADATA VALUES (1, '\(MadeSource.uuid)', NULL);
                CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                    \(all.joined(separator: ", ")));
                """)
    }

    private func columns(_ form: Form, without missing: String? = nil) -> [String] {
        Self.elements.filter { $0.0 != missing }.map { "\(form.column($0.0)) \($0.1)" }
    }

    @Test(arguments: Form.allCases)
    func `elements are converted with their types, and a nil composite stays nil`(
        form: Form
    ) throws {
        let names = Self.elements.map { form.column($0.0) }.joined(separator: ", ")
        let source = try source(
            columns(form),
            rows: """
                INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, \(names)) VALUES
                    (1, 1, 1, 'all', 'Aare', 7, 1.5, 1,
                        x'000102030405060708090A0B0C0D0E0F', 10.5, 46.75, 7.25),
                    (2, 1, 1, 'none', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
                    (3, 1, 1, 'inner', NULL, NULL, NULL, NULL, NULL, NULL, 46.75, NULL);
                """)
        let report = try source.convert(try Self.model())
        #expect(report.doubts.isEmpty && report.objectCounts == ["Person": 3])
        let uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
        let rent = try #require(ExactDecimal("10.5"))
        try source.withObjects { (find: (String) throws -> ManagedObject) throws in
            let all = try find("Person/p1")
            #expect(try all.value(forKey: "name") == "all")
            #expect(
                try all.compositeValue(forKey: "address") == [
                    "street": "Aare", "number": 7, "since": .date(1.5), "isHome": true,
                    "key": .uuid(uuid), "rent": .decimal(rent),
                    "location.latitude": .double(46.75), "location.longitude": .double(7.25),
                ])
            let none = try find("Person/p2")
            #expect(try none.value(forKey: "name") == "none")
            #expect(try none.compositeValue(forKey: "address") == nil)
            let inner = try find("Person/p3")
            #expect(try inner.value(forKey: "address.street") == .null)
            #expect(
                try inner.compositeValue(forKey: "address.location") == [
                    "latitude": .double(46.75), "longitude": .null,
                ])
        }
    }

    @Test(arguments: Form.allCases, elements.map { $0.0 })
    func `a missing column is refused with entity, attribute and column`(
        form: Form, element: String
    ) throws {
        let source = try source(columns(form, without: element))
        let model = try Self.model()
        let error = try #require(throws: ConversionError.self) { try source.convert(model) }
        #expect(error.code == .notSupportedYet)
        #expect(error.message.contains("Person.\(element)"), "\(error)")
        #expect(error.message.contains("\(form.column(element)) for"), "\(error)")
        #expect(!FileManager.default.fileExists(atPath: source.target.path))
    }

    private static func towns() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                CompositeAttribute("home") { AttributeDeclaration("town", .string) }
                CompositeAttribute("work") { AttributeDeclaration("town", .string) }
            }
        }
    }

    /// Converts a source without a doubtful value, and compares values of its first object.
    private func expect(
        _ values: [String: PropertyValue], in source: MadeSource, _ model: ManagedObjectModel
    ) throws {
        #expect(try source.convert(model).doubts.isEmpty)
        try source.withObjects { (find: (String) throws -> ManagedObject) throws in
            for (key, value) in values {
                #expect(try find("Person/p1").value(forKey: key) == value, "\(key)")
            }
        }
    }

    @Test func `elements of one name are told apart only by their paths`() throws {
        let model = try Self.towns()
        let certain = try source(
            ["ZHOME_TOWN VARCHAR", "ZWORK_TOWN VARCHAR"],
            rows: """
                INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZHOME_TOWN, ZWORK_TOWN)
                    VALUES (1, 1, 1, 'Bern', 'Thun');
                """)
        try expect(["home.town": "Bern", "work.town": "Thun"], in: certain, model)
        for columns in [["ZTOWN VARCHAR", "ZTOWN1 VARCHAR"], ["ZTOWN VARCHAR"]] {
            let unclear = try source(columns)
            let error = try #require(throws: ConversionError.self) { try unclear.convert(model) }
            #expect(error.code == .notSupportedYet)
            for name in ["Person.home.town", "Person.work.town", "ZTOWN"] {
                #expect(error.message.contains(name), "\(error)")
            }
        }
    }

    @Test func `a column that a plain attribute may have is not taken for an element`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                CompositeAttribute("pet") { AttributeDeclaration("name", .string) }
            }
        }
        let unclear = try source([])
        let error = try #require(throws: ConversionError.self) { try unclear.convert(model) }
        #expect(error.message.contains("Person.pet.name"), "\(error)")
        let certain = try source(
            ["ZPET_NAME VARCHAR"],
            rows: """
                INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME, ZPET_NAME)
                    VALUES (1, 1, 1, 'Ada', 'Rex');
                """)
        try expect(["name": "Ada", "pet.name": "Rex"], in: certain, model)
    }
}
