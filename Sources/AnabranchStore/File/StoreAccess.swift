import AnabranchSQLite
import Foundation

/// How a store's file can be opened with the rights that this process has.
///
/// SQLite keeps two files beside an open database with a write-ahead log, so it needs the right to
/// write to the folder even for reading. A file that was closed cleanly has its whole content in
/// itself, and is read without them.
struct StoreAccess {
    /// The access of the connection that writes, or of the first one that reads.
    let mode: OpenMode
    /// Why the file can't be written, to follow "because"; `nil` if it can be.
    let hindrance: String?

    /// The access of the connections that only read.
    var readingMode: OpenMode { mode == .immutable ? .immutable : .readOnly }

    /// Finds out how a file can be opened.
    ///
    /// - Parameter mayCreate: True if a missing file is created.
    /// - Throws: ``StoreError`` if the rights do not suffice: `readOnly` for a file that was not
    ///   closed, `cannotOpen` for one that would have to be created. Nothing was changed.
    init(
        _ path: String, mayCreate: Bool, options: StoreOptions, environment: StoreEnvironment
    ) throws {
        let asked: OpenMode =
            options.isReadOnly ? .readOnly : mayCreate ? .readWriteCreate : .readWrite
        let wish = options.isReadOnly ? Self.openedForReading : nil
        guard environment.hasSystemFiles else {
            (mode, hindrance) = (asked, wish)
            return
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let files = FileManager.default
        guard files.fileExists(atPath: path) else {
            try Self.checkCreation(of: path, in: folder, asked, environment)
            (mode, hindrance) = (asked, wish)
            return
        }
        let isFileWritable = environment.isWritable(path)
        let areHelpersThere = ["-wal", "-shm"].allSatisfy {
            files.isReadableFile(atPath: path + $0)
        }
        if environment.isWritable(folder) || areHelpersThere {
            mode = isFileWritable ? asked : .readOnly
            hindrance = wish ?? (isFileWritable ? nil : "you have no right to write to it")
            return
        }
        try Self.checkWasClosed(path)
        mode = .immutable
        hindrance = wish ?? "you have no right to write to its folder"
    }

    private static let openedForReading = "it was opened for reading"

    private static func checkCreation(
        of path: String, in folder: String, _ mode: OpenMode, _ environment: StoreEnvironment
    ) throws {
        guard mode == .readWriteCreate, FileManager.default.fileExists(atPath: folder),
            !environment.isWritable(folder)
        else { return }
        throw StoreError(
            .cannotOpen,
            "Can't create \(path) because you have no right to write to its folder.", path: path)
    }

    /// Checks that no commit is outside the file itself.
    private static func checkWasClosed(_ path: String) throws {
        let rest = ["-wal", "-journal"].first { suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
            return (attributes?[.size] as? NSNumber)?.int64Value ?? 0 > 0
        }
        guard let rest else { return }
        throw StoreError(
            .readOnly,
            "Can't read \(path) because it was not closed, and you have no right to write to its "
                + "folder, where SQLite keeps two files beside a store that is open. Copy the "
                + "store, with its \(rest) file, to a folder of your own.", path: path)
    }
}
