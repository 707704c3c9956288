import Anabranch
import Foundation

/// A store of members, and the same table in SQLite alone.
enum ScaleStore {
    static let entity = "Member"
    /// The page cache of the command line.
    private static let cacheByteCount = 32 << 20

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration(entity) {
                AttributeDeclaration("code", .string)
                AttributeDeclaration("name", .string)
                AttributeDeclaration("city", .string)
                AttributeDeclaration("amount", .integer64)
                AttributeDeclaration("born", .date)
                IndexDeclaration("byCity", on: "city")
                UniquenessConstraint("code")
            }
        }
    }

    static func open(_ path: String) throws -> PersistentContainer {
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        description.options.writerCacheByteCount = cacheByteCount
        let container = PersistentContainer(model: try model(), storeDescription: description)
        try container.load()
        return container
    }

    static func create(_ path: String) throws { try open(path).coordinator.close() }

    static func count(_ container: PersistentContainer) throws -> Int {
        try container.newBackgroundContext().performAndWait {
            try $0.count(for: FetchRequest<ManagedObject>(entityName: entity))
        }
    }

    /// Inserts and saves one member.
    static func insert(_ number: Int, into context: ManagedObjectContext) throws {
        let member = try context.insert(entity)
        try member.setValue(.string("N\(number)"), forKey: "code")
        try member.setValue(.string("New member"), forKey: "name")
        try member.setValue(.string("City\(number % 5000)"), forKey: "city")
        try member.setValue(.integer(Int64(number)), forKey: "amount")
        try context.save()
    }

    /// Fills a table of SQLite with the same index and unique key by the `sqlite3` program.
    static func importRaw(_ table: ScaleTable, to path: String) throws -> ProgramRun {
        let schema = """
            CREATE TABLE member(
                code TEXT UNIQUE, name TEXT, city TEXT, amount INTEGER, born TEXT);
            CREATE INDEX byCity ON member(city);
            """
        return try ProgramRun(
            "/usr/bin/env",
            [
                "sqlite3", path, "-cmd", schema, "-cmd", ".mode csv",
                ".import --skip 1 '\(table.path)' member",
            ])
    }
}
