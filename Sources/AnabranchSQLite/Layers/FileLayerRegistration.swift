package import CSQLite

/// Makes a layer of files known to SQLite, for as long as it is there itself: until all
/// connections to such files are closed.
package final class FileLayerRegistration: @unchecked Sendable {
    // Neither changes once it is made.
    private unowned let layer: any FileLayer
    private let vfs: UnsafeMutablePointer<sqlite3_vfs>

    /// - Parameters:
    ///   - layer: Has to live as long. It is asked by any thread that has a connection.
    ///   - name: No other layer's.
    ///   - base: What is neither files nor paths: randomness, sleep and the time.
    package init(of layer: any FileLayer, as name: String, over base: sqlite3_vfs) {
        self.layer = layer
        vfs = .allocate(capacity: 1)
        vfs.initialize(to: base)
        vfs.pointee.pNext = nil
        vfs.pointee.zName = UnsafePointer(csqlite_permanent_copy(name))
        vfs.pointee.iVersion = 2
        vfs.pointee.szOsFile = FileOpeningTable.handleByteCount
        vfs.pointee.mxPathname = 4096
        vfs.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        Self.setFunctions(&vfs.pointee)
        // Without memory for its name it is a layer that nobody finds.
        if vfs.pointee.zName != nil { sqlite3_vfs_register(vfs, 0) }
    }

    deinit {
        sqlite3_vfs_unregister(vfs)
        sqlite3_free(UnsafeMutablePointer(mutating: vfs.pointee.zName))
        vfs.deallocate()
    }

    /// The layer that SQLite means.
    package static func layer(of vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> (any FileLayer)? {
        guard let data = vfs?.pointee.pAppData else { return nil }
        return Unmanaged<FileLayerRegistration>.fromOpaque(data).takeUnretainedValue().layer
    }

    private static func setFunctions(_ table: inout sqlite3_vfs) {
        table.xOpen = { vfs, path, file, flags, outFlags in
            guard let layer = FileLayerRegistration.layer(of: vfs), let file else {
                return SQLITE_CANTOPEN
            }
            file.pointee.pMethods = nil
            guard let opening = layer.open(path.map { String(cString: $0) }, flags: flags) else {
                return SQLITE_CANTOPEN
            }
            outFlags?.pointee = flags
            FileOpeningTable.put(opening, into: file)
            return SQLITE_OK
        }
        table.xDelete = { vfs, path, _ in
            guard let layer = FileLayerRegistration.layer(of: vfs), let path else {
                return IOStatus.delete
            }
            return layer.delete(String(cString: path))
        }
        table.xAccess = { vfs, path, _, result in
            guard let layer = FileLayerRegistration.layer(of: vfs), let path else {
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
        // An error number of the system's would be another call's.
        table.xGetLastError = { _, _, _ in 0 }
    }
}
