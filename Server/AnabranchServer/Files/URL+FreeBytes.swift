import Foundation

extension URL {
    /// The free bytes of the disk that has a file or a directory; `nil` if the system does not say
    /// it. The reason is then in `errno`.
    var freeBytes: UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}
