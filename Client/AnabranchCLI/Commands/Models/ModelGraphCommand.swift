import Anabranch
import Foundation

/// Draws the entities of a model and their relationships as an SVG file.
struct ModelGraphCommand: Command {
    static let specification = CommandSpecification(
        name: "model graph", summary: "Draws the entities of a model and their relationships.",
        discussion: [
            "The drawing is an SVG file in light or dark colours, as the reader prefers. A box is "
                + "an entity with the properties that it declares itself. A line is a "
                + "relationship with its inverse: one tip means one object, two tips mean many. "
                + "A hollow tip points to the entity from which another one inherits."
        ],
        arguments: [ModelSource.argument],
        options: [
            ModelSource.version,
            OptionSpecification(
                "output", "FILE", "The file to write; by default the standard output."),
        ],
        examples: [
            .init("model graph Geo.xcdatamodeld --output geo.svg", "Draws a model.")
        ])

    let source: ModelSource
    let output: String?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        source = try ModelSource(arguments)
        output = arguments.text("output")
    }

    func run(_ console: Console) async throws {
        let model = try source.read(console)
        let name = URL(fileURLWithPath: source.path).deletingPathExtension().lastPathComponent
        let svg = ModelDiagram(model).svg(title: "The model \(name)")
        guard let output else { return try console.output.write(svg) }
        do {
            try Data(svg.utf8).write(to: URL(fileURLWithPath: output), options: .atomic)
        } catch {
            throw CommandFailure(
                .cannotCreate, "Can't write \(output): \(error.localizedDescription)")
        }
    }
}
