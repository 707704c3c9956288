import Anabranch
import Foundation

/// Writes a model as a model file that Xcode opens.
struct ModelWriteCommand: Command {
    static let specification = CommandSpecification(
        name: "model write", summary: "Writes a model as a file that Xcode opens.",
        discussion: [
            "The model is that of a model file or of a store, such as one that was made from a "
                + "model in Swift. Settings that Xcode has no place for, such as merge rules, "
                + "become user info entries with keys that begin with 'anabranch.'; every command "
                + "reads them. A file that exists already is not replaced."
        ],
        arguments: [ModelSource.argument],
        options: [
            ModelSource.version,
            OptionSpecification(
                "output", "NAME", "The .xcdatamodel to write; it may be in an .xcdatamodeld."),
        ],
        examples: [
            .init("model write geo.store --output Geo.xcdatamodel", "Writes the model of a store."),
            .init(
                "model write geo.store --output 'Geo.xcdatamodeld/Geo 2.xcdatamodel'",
                "Adds a version to a model."),
        ])

    let source: ModelSource
    let output: String

    init(_ arguments: ParsedArguments) throws(UsageError) {
        source = try ModelSource(arguments)
        guard let output = arguments.text("output"),
            URL(fileURLWithPath: output).pathExtension == "xcdatamodel"
        else {
            throw arguments.error(
                "'model write' needs a name: anabranch model write \(source.path) --output "
                    + "NAME.xcdatamodel")
        }
        self.output = output
    }

    func run(_ console: Console) async throws {
        guard !FileManager.default.fileExists(atPath: output) else {
            throw CommandFailure(.cannotCreate, "Can't write \(output) because it exists already.")
        }
        let model = try source.read(console)
        try model.write(toXcodeModel: URL(fileURLWithPath: output))
        let count = model.entities.count == 1 ? "1 entity" : "\(model.entities.count) entities"
        try console.print("Wrote \(output) with \(count).")
    }
}
