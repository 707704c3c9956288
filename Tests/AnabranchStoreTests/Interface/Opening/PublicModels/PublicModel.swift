import AnabranchModel
import Foundation
import TestSupport
import Testing

/// A model of a public project among the fixtures, with several versions.
struct PublicModel: CustomTestStringConvertible, Sendable {
    /// A version that the reader accepts.
    struct Version: Sendable {
        let name: String
        let model: ManagedObjectModel
    }

    /// Two versions, of which the second one follows the first one.
    struct Step: CustomTestStringConvertible, Sendable {
        let old: Version
        let new: Version
        /// The migration from the old version to the new one; `nil` if it is refused.
        let migration: InferredMigration?
        let testDescription: String

        init(in model: String, from old: Version, to new: Version) {
            self.old = old
            self.new = new
            migration = try? InferredMigration(from: old.model, to: new.model)
            testDescription = "\(model): \(old.name) to \(new.name)"
        }

        var isInferred: Bool { migration != nil }

        /// True if the new version lacks an entity or a property of the old one.
        var removesSomething: Bool {
            (migration?.changes ?? []).contains { change in
                switch change {
                case .entityRemoved, .propertyRemoved: true
                default: false
                }
            }
        }
    }

    /// The names of the project's folder and of the model.
    let name: String
    /// The versions that the reader accepts, in the natural order of their names.
    let versions: [Version]
    /// The number of versions that the reader refuses.
    let refusedVersionCount: Int
    /// The steps from each version to the next.
    let steps: [Step]

    var testDescription: String { name }

    private init(_ package: URL) {
        let project = package.deletingLastPathComponent().lastPathComponent
        let model = "\(project)/\(package.deletingPathExtension().lastPathComponent)"
        let names = Self.versionNames(in: package)
        let versions = names.compactMap { name -> Version? in
            let file = package.appending(path: "\(name).xcdatamodel")
            return (try? ManagedObjectModel.reading(file)).map { Version(name: name, model: $0) }
        }
        name = model
        self.versions = versions
        refusedVersionCount = names.count - versions.count
        steps = zip(versions, versions.dropFirst()).map { Step(in: model, from: $0, to: $1) }
    }

    /// Returns the names of all versions in their natural order.
    ///
    /// A name is compared without its extension: `Moody` comes before `Moody 2`, but
    /// `Moody 2.xcdatamodel` before `Moody.xcdatamodel`.
    private static func versionNames(in package: URL) -> [String] {
        let files = try? FileManager.default.contentsOfDirectory(
            at: package, includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "xcdatamodel" }
            .map { $0.deletingPathExtension().lastPathComponent }
            .sorted { $0.localizedStandardCompare($1) == .orderedAscending }
    }

    /// All models of the fixtures that have several versions; none if there are no fixtures.
    static let all: [PublicModel] = {
        guard let folder = Fixtures.folder?.appending(path: "models"),
            let found = FileManager.default.enumerator(
                at: folder, includingPropertiesForKeys: nil)
        else { return [] }
        return found.compactMap { $0 as? URL }.filter { $0.pathExtension == "xcdatamodeld" }
            .sorted { $0.path < $1.path }.map { PublicModel($0) }
            .filter { $0.versions.count + $0.refusedVersionCount > 1 }
    }()

    /// The steps of all models.
    static let allSteps: [Step] = all.flatMap(\.steps)
}
