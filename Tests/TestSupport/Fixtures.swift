public import Foundation
public import Testing

/// Real models, stores and data sets that are too large, or not ours, to lie in the repository.
///
/// Their folder is named by the environment variable `ANABRANCH_FIXTURES`. Tests that read them
/// carry the trait `.needsFixtures` and are skipped, with the reason, where it is not set.
public enum Fixtures {
    public static let folder: URL? = {
        guard let path = ProcessInfo.processInfo.environment["ANABRANCH_FIXTURES"], !path.isEmpty
        else { return nil }
        return URL(filePath: path, directoryHint: .isDirectory)
    }()

    /// A variable that names no folder counts as set, so that a wrong path fails and is not
    /// taken for a machine without fixtures.
    public static let areAvailable = folder != nil

    /// - Parameter path: Below the folder, with slashes.
    /// - Throws: `FixtureError` when the folder is not set or holds no such file.
    public static func url(_ path: String) throws(FixtureError) -> URL {
        guard let folder else { throw .folderNotSet }
        let place = folder.appending(path: path)
        guard FileManager.default.fileExists(atPath: place.path) else {
            throw .missing(path: place.path)
        }
        return place
    }
}

public enum FixtureError: Error, CustomStringConvertible {
    case folderNotSet
    case missing(path: String)

    public var description: String {
        switch self {
        case .folderNotSet:
            "ANABRANCH_FIXTURES is not set. Name the fixtures' folder by it."
        case .missing(let path):
            "Can't read \(path) because it doesn't exist. Does ANABRANCH_FIXTURES name the "
                + "fixtures' folder?"
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test or suite where there are no fixtures.
    public static var needsFixtures: Self {
        .enabled(if: Fixtures.areAvailable, "ANABRANCH_FIXTURES is not set")
    }
}
