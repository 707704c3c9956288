/// A layer of files that SQLite uses instead of the system's files.
///
/// ``VirtualFileSystemRegistration`` registers the layer with SQLite under a name.
package protocol VirtualFileSystem: AnyObject {
    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: `nil` for a temporary file, which cannot be opened again.
    ///   - flags: `SQLITE_OPEN_…`.
    ///
    /// - Returns: `nil` if the file does not exist and must not be created.
    func open(_ path: String?, flags: Int32) -> (any VirtualFile)?

    /// Deletes a file and returns SQLite's status code.
    func delete(_ path: String) -> Int32

    func exists(_ path: String) -> Bool
}
