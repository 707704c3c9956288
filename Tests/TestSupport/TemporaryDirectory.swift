public import Foundation

/// A fresh folder that lives as long as this object.
///
/// It lies in memory where the system has such a place, because most tests write many small
/// files and none needs to survive a loss of power.
public final class TemporaryDirectory: Sendable {
    public let url: URL
    public var path: String { url.path }

    /// - Parameter name: Begins the folder's name, so that one left by a crash can be told.
    /// - Throws: What the file system says when it refuses the folder.
    public init(_ name: String = "anabranch") throws {
        url = Self.base.appending(
            path: "\(name)-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of a file in the folder, whether or not it exists.
    public func file(_ name: String) -> String { url.appending(path: name).path }

    private static let base: URL = {
        let memory = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: memory)
            ? URL(filePath: memory, directoryHint: .isDirectory)
            : FileManager.default.temporaryDirectory
    }()
}
