package import Foundation

/// A new folder that is removed with this object.
///
/// It is in memory if the system has such a file system: most tests write many small files, and
/// none has to survive a loss of power.
package final class TemporaryDirectory: Sendable {
    /// The URL of the folder.
    package let url: URL
    /// The path of the folder.
    package var path: String { url.path }

    /// - Parameter name: The beginning of the folder's name, which identifies a folder that a crash
    ///   left.
    /// - Throws: The file system's error if the folder can't be created.
    package init(_ name: String = "anabranch") throws {
        url = Self.base.appending(
            path: "\(name)-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of a file in the folder, whether or not it exists.
    package func file(_ name: String) -> String { url.appending(path: name).path }

    private static let base: URL = {
        let memory = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: memory)
            ? URL(filePath: memory, directoryHint: .isDirectory)
            : FileManager.default.temporaryDirectory
    }()
}
