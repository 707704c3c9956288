import Anabranch
import Foundation

/// Opens the store of a command line.
enum StoreFile {
    enum Use { case reading, writing }

    /// Opens a store.
    ///
    /// - Parameter use: A file that can't be written can be read. SQLite keeps two files beside an
    ///   open store. If the folder can't be written, these files must exist, or the store must have
    ///   been closed cleanly.
    ///
    /// - Throws: ``CommandFailure`` if there is no such file: only `init` creates one.
    static func open(_ path: String, for use: Use) throws -> PersistentContainer {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure(
                .noInput,
                "There is no store \(path). To create one, type: anabranch init "
                    + "\(ShellWord.quoted(path)) --model FILE")
        }
        guard !isFolder.boolValue else {
            throw CommandFailure(.data, "\(path) is a folder, not a store.")
        }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw CommandFailure(.permission, "You have no permission to read \(path).")
        }
        if use == .writing { try checkFolder(of: path) }
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        if !FileManager.default.isWritableFile(atPath: path) {
            guard use == .reading else {
                throw CommandFailure(.permission, "You have no permission to write to \(path).")
            }
            description.options.isReadOnly = true
        }
        description.followsOtherProcesses = false
        description.options.writerCacheByteCount = writerCacheByteCount
        let container = PersistentContainer(storeDescription: description)
        try container.load()
        return container
    }

    /// A command may write any number of records. The memory is used only as pages are changed.
    private static let writerCacheByteCount = 32 << 20

    private static func checkFolder(of path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard !FileManager.default.isWritableFile(atPath: folder) else { return }
        throw CommandFailure(
            .permission,
            "Can't write to \(path) because you have no right to write to its folder, where SQLite "
                + "keeps two files beside a store that is open. Copy the store, with its -wal file "
                + "if there is one, to a folder of your own.")
    }

    /// The size of a store in bytes: that of its file and of the files that SQLite keeps beside it.
    /// Saves are in the `-wal` file until SQLite copies them into the main file.
    static func byteCount(_ path: String) -> Int64 {
        ["", "-wal", "-shm", "-journal"].reduce(0) { sum, suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
            return sum + ((attributes?[.size] as? NSNumber)?.int64Value ?? 0)
        }
    }

    /// Runs a body in a new context on a store.
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

    /// The author of saves in the log: the option's, or the user's name.
    static func author(_ arguments: ParsedArguments) -> String {
        let environment = ProcessInfo.processInfo.environment
        return arguments.text("author") ?? environment["ANABRANCH_AUTHOR"] ?? environment["USER"]
            ?? environment["LOGNAME"] ?? "anabranch"
    }
}

extension OptionSpecification {
    static let author = OptionSpecification(
        "author", "NAME",
        "The author of the save in the log; by default ANABRANCH_AUTHOR, then "
            + "USER.")
}
