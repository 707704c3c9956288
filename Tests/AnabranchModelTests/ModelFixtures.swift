import Foundation

/// Models of public projects, which are not part of the package.
///
/// They are in the folder `ANABRANCH_FIXTURES`, or else in `shared/fixtures` beside the package.
enum ModelFixtures {
    static let folder: URL? = {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let given = ProcessInfo.processInfo.environment["ANABRANCH_FIXTURES"]
        let root =
            given.map { URL(filePath: $0) } ?? package.appending(path: "../shared/fixtures")
        let models = root.appending(path: "models")
        return FileManager.default.fileExists(atPath: models.path) ? models : nil
    }()

    /// Every version of every model, sorted.
    static func versions() -> [URL] { found(withExtension: "xcdatamodel") }

    /// Every package of versions, sorted.
    static func packages() -> [URL] { found(withExtension: "xcdatamodeld") }

    private static func found(withExtension wanted: String) -> [URL] {
        guard let folder,
            let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        else { return [] }
        return all.compactMap { $0 as? URL }.filter { $0.pathExtension == wanted }
            .sorted { $0.path < $1.path }
    }
}
