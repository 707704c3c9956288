import CSQLite

/// A virtual file system that gathers the frames of commits, and else is the one below it.
///
/// Only logs are opened in another way. Databases, their locks and the index of the log are those
/// of the file system below, so other programs can use the same files at the same time.
package final class CommitFramesRegistration: @unchecked Sendable {
    /// SQLite's structure, and the file system below. It begins with SQLite's part, by which
    /// SQLite's calls find the rest.
    private struct Table {
        var vfs: sqlite3_vfs
        let below: UnsafeMutablePointer<sqlite3_vfs>
    }

    /// The name of the file system for connections.
    package let name: String

    // It does not change after the initializer.
    private let table: UnsafeMutablePointer<Table>

    /// The file system over the system's files; `nil` if there is none.
    static let system = CommitFramesRegistration(as: "anabranch-commits", over: nil)

    /// Registers a file system until it is released, which must outlive all connections to it.
    ///
    /// - Parameters:
    ///   - name: A name that no other file system has.
    ///   - below: The name of the file system below, which must live as long; `nil` is the default
    ///     one.
    package init?(as name: String, over below: String?) {
        guard let below = sqlite3_vfs_find(below), let copy = csqlite_permanent_copy(name) else {
            return nil
        }
        self.name = name
        table = .allocate(capacity: 1)
        table.initialize(to: Table(vfs: below.pointee, below: below))
        table.pointee.vfs.pNext = nil
        table.pointee.vfs.zName = UnsafePointer(copy)
        table.pointee.vfs.szOsFile += Int32(CommitFrames.handleByteCount)
        table.pointee.vfs.xOpen = { vfs, path, file, flags, outFlags in
            guard let vfs, let file else { return SQLITE_CANTOPEN }
            let below = UnsafeMutableRawPointer(vfs)
                .assumingMemoryBound(to: Table.self).pointee.below
            return CommitFramesRegistration.open(path, in: below, file, flags, outFlags)
        }
        sqlite3_vfs_register(vfs, 0)
    }

    deinit {
        sqlite3_vfs_unregister(vfs)
        sqlite3_free(UnsafeMutablePointer(mutating: table.pointee.vfs.zName))
        table.deallocate()
    }

    private var vfs: UnsafeMutablePointer<sqlite3_vfs> {
        UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vfs.self)
    }

    private static func open(
        _ path: UnsafePointer<CChar>?, in below: UnsafeMutablePointer<sqlite3_vfs>,
        _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard flags & SQLITE_OPEN_WAL != 0 else {
            return below.pointee.xOpen(below, path, file, flags, outFlags)
        }
        file.pointee.pMethods = nil
        let log = CommitFrames.fileBelow(file)
        log.pointee.pMethods = nil
        let status = below.pointee.xOpen(below, path, log, flags, outFlags)
        if status == SQLITE_OK {
            CommitFrames.put(into: file)
        } else if let methods = log.pointee.pMethods {
            // SQLite closes a file with functions even after an error.
            _ = methods.pointee.xClose(log)
        }
        return status
    }
}
