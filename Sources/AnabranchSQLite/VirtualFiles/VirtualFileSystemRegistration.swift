package import CSQLite

/// Registers a layer of files with SQLite, until it is released.
///
/// It must outlive all connections to files of the layer.
package final class VirtualFileSystemRegistration: @unchecked Sendable {
    // Neither changes after the initializer.
    private unowned let layer: any VirtualFileSystem
    private let vfs: UnsafeMutablePointer<sqlite3_vfs>

    /// Registers a layer.
    ///
    /// - Parameters:
    ///   - layer: The layer, which must live as long. SQLite calls it from any thread with a
    /// connection.
    ///   - name: A name that no other layer has.
    ///   - base: The file system that provides randomness, sleep and the time.
    package init(of layer: any VirtualFileSystem, as name: String, over base: sqlite3_vfs) {
        self.layer = layer
        vfs = .allocate(capacity: 1)
        vfs.initialize(to: base)
        vfs.pointee.pNext = nil
        vfs.pointee.zName = UnsafePointer(csqlite_permanent_copy(name))
        vfs.pointee.iVersion = 2
        vfs.pointee.szOsFile = VirtualFileTable.handleByteCount
        vfs.pointee.mxPathname = 4096
        vfs.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        Self.setFunctions(&vfs.pointee)
        // Without memory for its name, the layer is not registered.
        if vfs.pointee.zName != nil { sqlite3_vfs_register(vfs, 0) }
    }

    deinit {
        sqlite3_vfs_unregister(vfs)
        sqlite3_free(UnsafeMutablePointer(mutating: vfs.pointee.zName))
        vfs.deallocate()
    }

    /// Returns the layer that is registered with SQLite as this virtual file system.
    ///
    /// - Parameter vfs: A structure that SQLite got from a registration of this class; `nil` gives
    ///   `nil`.
    package static func layer(of vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> (
        any VirtualFileSystem
    )? {
        guard let data = vfs?.pointee.pAppData else { return nil }
        return Unmanaged<VirtualFileSystemRegistration>.fromOpaque(data).takeUnretainedValue().layer
    }

    private static func setFunctions(_ table: inout sqlite3_vfs) {
        table.xOpen = { vfs, path, file, flags, outFlags in
            guard let layer = VirtualFileSystemRegistration.layer(of: vfs), let file else {
                return SQLITE_CANTOPEN
            }
            file.pointee.pMethods = nil
            guard let opening = layer.open(path.map { String(cString: $0) }, flags: flags) else {
                return SQLITE_CANTOPEN
            }
            outFlags?.pointee = flags
            VirtualFileTable.put(opening, into: file)
            return SQLITE_OK
        }
        table.xDelete = { vfs, path, _ in
            guard let layer = VirtualFileSystemRegistration.layer(of: vfs), let path else {
                return IOStatus.delete
            }
            return layer.delete(String(cString: path))
        }
        table.xAccess = { vfs, path, _, result in
            guard let layer = VirtualFileSystemRegistration.layer(of: vfs), let path else {
                return IOStatus.access
            }
            result?.pointee = layer.exists(String(cString: path)) ? 1 : 0
            return SQLITE_OK
        }
        table.xFullPathname = { _, path, count, target in
            guard let path, let target, csqlite_copy_text(target, path, Int(count)) != 0 else {
                return SQLITE_CANTOPEN
            }
            return SQLITE_OK
        }
        // No error number is reported, because the system's could be that of another call.
        table.xGetLastError = { _, _, _ in 0 }
    }
}
