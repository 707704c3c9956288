import Foundation

/// The room of disks.
enum DiskRoom {
    /// The room that a file system has for this user; `nil` if it does not say.
    static func freeBytes(at path: String) -> Int64? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}
