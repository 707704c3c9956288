package import Foundation
package import Testing

/// Real models, stores and data sets that are too large for the repository or belong to another
/// project.
///
/// The environment variable `ANABRANCH_FIXTURES` names their folder. Tests that read them have the
/// trait `.needsFixtures`. If the variable is not set, they are skipped with that reason.
package enum Fixtures {
    /// The folder that `ANABRANCH_FIXTURES` names; `nil` if the variable is not set.
    package static let folder: URL? = {
        guard let path = ProcessInfo.processInfo.environment["ANABRANCH_FIXTURES"], !path.isEmpty
        else { return nil }
        return URL(filePath: path, directoryHint: .isDirectory)
    }()

    /// Whether the variable is set. A wrong path counts as set, so that the tests fail and are not
    /// skipped.
    package static let areAvailable = folder != nil

    /// - Parameter path: The path below the folder, with slashes.
    /// - Throws: `FixtureError` if the variable is not set or the file is missing.
    package static func url(_ path: String) throws(FixtureError) -> URL {
        guard let folder else { throw .folderNotSet }
        let place = folder.appending(path: path)
        guard FileManager.default.fileExists(atPath: place.path) else {
            throw .missing(path: place.path)
        }
        return place
    }
}

/// The reason why a fixture can't be read.
package enum FixtureError: Error, CustomStringConvertible {
    case folderNotSet
    case missing(path: String)

    /// The reason as a sentence with what to do.
    package var description: String {
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
    /// Skips a test or suite if there are no fixtures.
    package static var needsFixtures: Self {
        .enabled(if: Fixtures.areAvailable, "ANABRANCH_FIXTURES is not set")
    }
}
