import Anabranch
import Foundation

/// The model file of a command line.
enum ModelFile {
    static let options = [
        OptionSpecification(
            "model", "FILE", "The model file of Xcode: an .xcdatamodeld or .xcdatamodel."),
        OptionSpecification(
            "model-version", "NAME",
            "The version in an .xcdatamodeld; by default the current one."),
    ]

    /// Reads a model, and prints its warnings.
    ///
    /// - Parameter version: The name of the version; `nil` is the current one.
    static func read(
        _ path: String, version: String?, _ console: Console
    ) throws -> ManagedObjectModel {
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(.noInput, "There is no model \(path).")
        }
        let model = try ManagedObjectModel.reading(URL(fileURLWithPath: path), version: version)
        for warning in model.warnings { console.writeNote("anabranch: \(warning)") }
        return model
    }
}
