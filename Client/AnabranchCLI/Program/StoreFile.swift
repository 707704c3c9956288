import Anabranch
import Foundation

/// Opens the store that a command line names.
enum StoreFile {
    enum Use { case reading, writing }

    /// - Parameter use: A file that may not be written to can still be read, but SQLite keeps two
    ///   files beside it for that, so the folder has to be writable, or they have to be there.
    /// - Throws: ``CommandFailure`` where there is no such file: only `init` makes one.
    static func open(_ path: String, for use: Use) throws -> PersistentContainer {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure(
                .noInput,
                "There is no store \(path). Make one by: anabranch init \(path) --model "
                    + "FILE")
        }
        guard !isFolder.boolValue else {
            throw CommandFailure(.data, "\(path) is a folder, not a store.")
        }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw CommandFailure(.permission, "You have no right to read \(path).")
        }
        try checkFolder(of: path, for: use)
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        if !FileManager.default.isWritableFile(atPath: path) {
            guard use == .reading else {
                throw CommandFailure(.permission, "You have no right to write to \(path).")
            }
            description.options.isReadOnly = true
        }
        let container = PersistentContainer(storeDescription: description)
        try container.load()
        return container
    }

    private static func checkFolder(of path: String, for use: Use) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let files = FileManager.default
        guard !files.isWritableFile(atPath: folder) else { return }
        guard use == .writing || !files.isReadableFile(atPath: path + "-shm") else { return }
        throw CommandFailure(
            .permission,
            "Can't \(use == .writing ? "write to" : "read") \(path) because you have no right to "
                + "write to its folder, where SQLite keeps two files beside a store that is open. "
                + "Copy the store, with its -wal file if there is one, to a folder of your own.")
    }

    /// Runs a body in a context of its own on a store.
    static func withContext<T>(
        _ path: String, for use: Use, author: String = "", name: String = "",
        _ body: (ManagedObjectContext) throws -> sending T
    ) throws -> T {
        let container = try open(path, for: use)
        defer { container.coordinator.close() }
        return try container.newBackgroundContext().performAndWait { context in
            context.transactionAuthor = author
            context.name = name
            return try body(context)
        }
    }

    /// Who is written into the log: what was asked for, or the person at the keyboard.
    static func author(_ arguments: ParsedArguments) -> String {
        let environment = ProcessInfo.processInfo.environment
        return arguments.text("author") ?? environment["ANABRANCH_AUTHOR"] ?? environment["USER"]
            ?? environment["LOGNAME"] ?? "anabranch"
    }
}

extension OptionSpecification {
    static let author = OptionSpecification(
        "author", "NAME", "Who saves, for the log. Without it ANABRANCH_AUTHOR, then USER.")
}
