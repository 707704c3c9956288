/// Files for SQLite to use like those of the system, whatever they are.
///
/// ``FileLayerRegistration`` makes a layer known to SQLite.
package protocol FileLayer: AnyObject {
    /// - Parameters:
    ///   - path: `nil` of a temporary file, which nobody else can open.
    ///   - flags: `SQLITE_OPEN_…`.
    /// - Returns: `nil` where there is no such file and none is to be made.
    func open(_ path: String?, flags: Int32) -> (any FileOpening)?

    /// - Returns: SQLite's status code.
    func delete(_ path: String) -> Int32

    func exists(_ path: String) -> Bool
}
