import Anabranch
import AnabranchConversion
import AnabranchSQLite
import Foundation
import TestSupport

/// A store as Core Data writes it, made of SQL, with every shape of table.
///
/// - `Thing` is the root of `Part` and `Tool`, which both have a `text`, so that one column has a
///   number behind its name.
/// - `Tag` has many-to-many relationships: `things` is a list on both sides, and `peers` is its own
///   inverse.
/// - `Card` and `Thing` have a one-to-one, and each thing has a list of `Note`s.
struct MadeSource {
    let folder: TemporaryDirectory
    var url: URL { URL(filePath: folder.file("made.sqlite")) }
    var target: URL { URL(filePath: folder.file("made.store")) }
    static let uuid = "0A1B2C3D-0000-4000-8000-000000000001"

    /// Makes a source.
    ///
    /// - Parameter tables: The statements that make all tables; `nil` makes those of ``model``.
    init(_ rows: String = "", tables: String? = nil) throws {
        folder = try TemporaryDirectory("anabranch-made")
        let connection = try Connection(path: url.path)
        defer { connection.close() }
        try connection.execute(tables ?? Self.tables)
        try connection.execute(rows)
    }

    func uri(_ object: String) -> String { "x-coredata://\(Self.uuid)/\(object)" }

    func convert(_ model: ManagedObjectModel = MadeSource.model) throws -> ConversionReport {
        try StoreConversion(source: url, model: model).run(to: target)
    }

    func open() throws -> PersistentContainer {
        let container = PersistentContainer(url: target)
        try container.load()
        return container
    }

    /// Runs a body in a context on the converted store, with a way to find objects by old URIs.
    func withObjects(
        _ body: @escaping (_ find: (String) throws -> ManagedObject) throws -> Void
    ) throws {
        let container = try open()
        defer { container.coordinator.close() }
        let coordinator = container.coordinator
        try container.newBackgroundContext().performAndWait { context in
            try body { name in
                guard let uri = URL(string: uri(name)),
                    let id = try coordinator.managedObjectID(forURIRepresentation: uri)
                else { throw FixtureError.missing(path: name) }
                return try context.existingObject(with: id)
            }
        }
    }

    static let model: ManagedObjectModel = {
        do { return try makeModel() } catch { preconditionFailure("\(error)") }
    }()

    private static func makeModel() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Thing", isAbstract: true) {
                AttributeDeclaration("title", .string, optional: false, maximum: 10)
                AttributeDeclaration("photo", .binary, allowsExternalBinaryDataStorage: true)
                RelationshipDeclaration("card", to: "Card", inverse: "thing")
                RelationshipDeclaration("shown", to: "Card", transient: true)
                RelationshipDeclaration("seen", toMany: "Card", transient: true, ordered: true)
                RelationshipDeclaration("notes", toMany: "Note", ordered: true, inverse: "thing")
                RelationshipDeclaration("tags", toMany: "Tag", ordered: true, inverse: "things")
            }
            EntityDeclaration("Part", parent: "Thing") {
                AttributeDeclaration("text", .string)
                AttributeDeclaration("weight", .decimal)
            }
            EntityDeclaration("Tool", parent: "Thing") {
                AttributeDeclaration("text", .string)
                AttributeDeclaration("size", .integer16)
            }
            EntityDeclaration("Card") {
                AttributeDeclaration("number", .integer64)
                RelationshipDeclaration("thing", to: "Thing", inverse: "card")
            }
            EntityDeclaration("Note") {
                AttributeDeclaration("made", .date)
                AttributeDeclaration("key", .uuid)
                RelationshipDeclaration("thing", to: "Thing", optional: false, inverse: "notes")
            }
            EntityDeclaration("Tag") {
                AttributeDeclaration("isHidden", .boolean)
                RelationshipDeclaration("things", toMany: "Thing", ordered: true, inverse: "tags")
                RelationshipDeclaration("peers", toMany: "Tag", inverse: "peers")
            }
        }
    }

    private static let tables = """
        CREATE TABLE Z_PRIMARYKEY
            (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        INSERT INTO Z_PRIMARYKEY VALUES (1, 'Card', 0, 9), (2, 'Note', 0, 9), (3, 'Tag', 0, 9),
            (4, 'Thing', 0, 9), (5, 'Part', 4, 0), (6, 'Tool', 4, 0), (16001, 'CHANGE', 0, 0);
        CREATE TABLE Z_METADATA
            (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        INSERT INTO Z_METADATA VALUES (1, '\(uuid)', NULL);
        CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
            ZCARD INTEGER, ZSIZE INTEGER, ZTITLE VARCHAR, ZTEXT VARCHAR, ZTEXT1 VARCHAR,
            ZWEIGHT DECIMAL, ZPHOTO BLOB);
        CREATE TABLE ZCARD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
            ZNUMBER INTEGER, ZTHING INTEGER, Z4_THING INTEGER);
        CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
            ZTHING INTEGER, Z4_THING INTEGER, Z_FOK_THING INTEGER, ZMADE TIMESTAMP, ZKEY BLOB);
        CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
            ZISHIDDEN INTEGER);
        CREATE TABLE Z_3THINGS (Z_3TAGS INTEGER, Z_4THINGS INTEGER, Z_FOK_3TAGS INTEGER,
            Z_FOK_4THINGS INTEGER, PRIMARY KEY (Z_3TAGS, Z_4THINGS));
        CREATE TABLE Z_3PEERS (Z_3PEERS INTEGER, REFLEXIVE INTEGER,
            PRIMARY KEY (Z_3PEERS, REFLEXIVE));
        INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZTEXT, ZWEIGHT)
            VALUES (1, 5, 1, 'one', 'part', 10.11);
        INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZTEXT1, ZSIZE)
            VALUES (2, 6, 1, 'two', 'tool', 7);
        """
}
