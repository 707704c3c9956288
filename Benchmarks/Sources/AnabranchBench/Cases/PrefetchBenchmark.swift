import Anabranch
import CRawSQLite
import Foundation

/// Reads folders together with their notes, a hundred each.
struct PrefetchBenchmark: Benchmark {
    static let name = "prefetch"
    static let summary = "folders with a hundred notes each, prefetched and all titles read"

    private static let notesEach = 100

    func figures(_ workbench: Workbench) async throws -> [Figure] {
        let folderCount = max(workbench.rows / Self.notesEach, 1)
        let rows = folderCount * (Self.notesEach + 1)
        try Self.fill(try RawDatabase(path: workbench.path("raw")), folderCount)
        try Self.fill(try Self.open(workbench.path("store")), folderCount)
        let expected = folderCount * Self.notesEach * Self.title(0, 0).utf8.count
        func check(_ size: Int) throws {
            guard size == expected else { throw Unexpected("the titles have \(size) bytes") }
        }
        let times = try await Rounds(count: workbench.rounds).compare { _ in
            let database = try RawDatabase(path: workbench.path("raw"))
            return try ContinuousClock().measure { try check(Self.titleSize(in: database)) }
        } ours: { _ in
            let container = try Self.open(workbench.path("store"))
            return try container.newBackgroundContext().performAndWait { context in
                try ContinuousClock().measure { try check(Self.titleSize(in: context)) }
            }
        }
        return [
            .share(
                "prefetched to-many", rows: rows, times, goal: nil,
                cause: "Objects are made of all rows, and their relationships are filled.")
        ]
    }

    private static func title(_ folder: Int, _ note: Int) -> String {
        "note \(100 + note) of \(100_000 + folder)"
    }

    // MARK: Raw

    private static func fill(_ database: RawDatabase, _ folderCount: Int) throws {
        try database.run("CREATE TABLE folder (id INTEGER PRIMARY KEY, name TEXT)")
        try database.run("CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, folder INTEGER)")
        try database.run("CREATE INDEX by_folder ON note (folder)")
        try database.run(
            """
            WITH RECURSIVE n (i) AS (
                SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(folderCount))
            INSERT INTO folder SELECT i, 'folder ' || i FROM n
            """)
        try database.transaction("INSERT INTO note (title, folder) VALUES (?, ?)") { statement in
            for folder in 0..<folderCount {
                for note in 0..<notesEach {
                    title(folder, note).withCString { title in
                        sqlite3_bind_text(statement, 1, title, -1, nil)
                        sqlite3_bind_int64(statement, 2, Int64(folder + 1))
                        sqlite3_step(statement)
                        sqlite3_reset(statement)
                    }
                }
            }
        }
    }

    /// Reads with two statements, as one would write them by hand.
    private static func titleSize(in database: RawDatabase) throws -> Int {
        let folders = try database.prepare("SELECT id, name FROM folder")
        defer { sqlite3_finalize(folders) }
        var notes: [Int64: [(id: Int64, title: String)]] = [:]
        while sqlite3_step(folders) == SQLITE_ROW { notes[sqlite3_column_int64(folders, 0)] = [] }
        let statement = try database.prepare(
            "SELECT id, title, folder FROM note WHERE folder IN (SELECT id FROM folder)")
        defer { sqlite3_finalize(statement) }
        while sqlite3_step(statement) == SQLITE_ROW {
            notes[sqlite3_column_int64(statement, 2)]?.append(
                (
                    sqlite3_column_int64(statement, 0),
                    String(cString: sqlite3_column_text(statement, 1))
                ))
        }
        return notes.values.reduce(0) { sum, notes in
            notes.reduce(sum) { $0 + $1.title.utf8.count }
        }
    }

    // MARK: Ours

    private static func open(_ path: String) throws -> PersistentContainer {
        let model = try ManagedObjectModel { FolderStore.entities }
        let container = PersistentContainer(
            model: model, classes: [Folder.self, Note.self], url: URL(fileURLWithPath: path))
        try container.load()
        return container
    }

    private static func fill(_ container: PersistentContainer, _ folderCount: Int) throws {
        try container.newBackgroundContext().performAndWait { context in
            for number in 0..<folderCount {
                let folder = try context.insert(Folder.self)
                folder.name = "folder \(number + 1)"
                for place in 0..<notesEach {
                    let note = try context.insert(Note.self)
                    note.title = title(number, place)
                    note.folder = folder
                }
                if number % 100 == 99 {
                    try context.save()
                    context.reset()
                }
            }
            try context.save()
        }
    }

    private static func titleSize(in context: ManagedObjectContext) throws -> Int {
        var request = FetchRequest<Folder>()
        try request.prefetch(\.notes)
        return try context.fetch(request).reduce(0) { sum, folder in
            folder.notes.reduce(sum) { $0 + ($1.title?.utf8.count ?? 0) }
        }
    }
}
