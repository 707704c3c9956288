import AnabranchReplication
import AnabranchSQLite
import Foundation

/// A copy that is kept of a store's file before its content is replaced.
struct StoreCopy {
    /// The reason why the content is replaced.
    enum Occasion {
        /// A migration to another version of the model.
        case migration
        /// A zone that was restored to an earlier state, and begins this epoch.
        case restoredZone(EpochID)

        fileprivate var suffix: String {
            switch self {
            case .migration: "before-migration"
            case .restoredZone(let epoch): "before-zone-\(epoch)"
            }
        }
    }

    let path: String
    let occasion: Occasion
    let freeBytes: @Sendable (String) -> Int64?

    /// The file of the copy, beside the store's.
    var file: String { "\(path).\(occasion.suffix)" }

    var exists: Bool { FileStatus(of: file) != nil }

    /// Copies the committed content of the store's file. It replaces an earlier copy.
    ///
    /// The copy is one file without a write-ahead log, and is on the disk when this returns.
    ///
    /// - Parameter connection: The connection that holds the lock for writing, so that no other
    ///   process changes the file meanwhile. It must not have written anything yet.
    /// - Parameter cancellable: Runs the statement that writes the copy on its own connection, and
    ///   can stop it.
    /// - Throws: `diskFull` if the disk has less room than the copy needs; what `cancellable`
    ///   throws.
    func write(
        of connection: Connection, cancellable: (Connection, () throws -> Void) throws -> Void
    ) throws {
        try checkRoom(connection)
        do {
            let partial = try PartialFile(of: file, rights: 0o600)
            if let status = FileStatus(of: path) { try partial.setRights(status.rights) }
            let reader = try Connection(path: path, mode: .readOnly)
            defer { reader.close() }
            try StoreFunctions.install(on: reader)
            // SQLite writes into an existing file if it is empty.
            try cancellable(reader) { try reader.run("VACUUM INTO ?", .text(partial.path)) }
            try partial.synchronize()
            try partial.replaceTarget()
            try PartialFile.synchronizeFolder(of: file)
        } catch let error as SystemError {
            throw StoreError(
                .cannotOpen,
                "Can't keep a copy of \(path) before its content is replaced, as \(file): "
                    + "\(error.text). The store is unchanged.", path: path, underlying: error)
        }
    }

    private func checkRoom(_ connection: Connection) throws {
        guard case .integer(let pages)? = try connection.firstValue("PRAGMA page_count"),
            case .integer(let size)? = try connection.firstValue("PRAGMA page_size"),
            let free = freeBytes(path), free < pages * size
        else { return }
        throw StoreError(
            .diskFull,
            "Can't replace the content of \(path) because a copy of it needs \(pages * size) bytes "
                + "and the disk has \(free). Free some room\(advice).", path: path)
    }

    private var advice: String {
        if case .migration = occasion { ", or migrate without a copy" } else { "" }
    }

    /// Removes the copy, if there is one. A copy that can't be removed does no harm.
    func remove() { unlink(file) }
}
