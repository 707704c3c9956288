import Anabranch
import Foundation

/// Writes the entities of a model and their relationships for Graphviz, or has it draw them.
struct ModelGraphCommand: Command {
    static let specification = CommandSpecification(
        name: "model graph", summary: "Draws the entities of a model and their relationships.",
        discussion: [
            "The output is in DOT, the language of Graphviz. If the name of FILE ends in .svg, "
                + "Graphviz's program dot draws it as SVG. A box is an entity with the properties "
                + "that it declares itself; an abstract one is in parentheses. A line is a "
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
        let text = ModelGraph(model: model).dot(title: "The model \(name)")
        guard let output else { return try console.output.write(text) }
        let data = output.hasSuffix(".svg") ? try drawing(text) : Data(text.utf8)
        do {
            try data.write(to: URL(fileURLWithPath: output), options: .atomic)
        } catch {
            throw CommandFailure(
                .cannotCreate, "Can't write \(output): \(error.localizedDescription)")
        }
    }

    /// The drawing of a text in DOT as SVG, by Graphviz. Its messages go to the standard error.
    private func drawing(_ text: String) throws -> Data {
        let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let programs = folders.split(separator: ":").map { "\($0)/dot" }
        guard let program = programs.first(where: FileManager.default.isExecutableFile) else {
            throw CommandFailure(
                .failure,
                "Can't draw the model because the program dot is missing. Install Graphviz, for "
                    + "example with \"apt-get install graphviz\" or \"brew install graphviz\", or "
                    + "write the model to a file whose name does not end in .svg.")
        }
        let dot = Process()
        let (input, drawing) = (Pipe(), Pipe())
        dot.executableURL = URL(fileURLWithPath: program)
        dot.arguments = ["-Tsvg"]
        dot.standardInput = input
        dot.standardOutput = drawing
        try dot.run()
        // The program reads everything before it writes. If it ends early, its status says so.
        try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try? input.fileHandleForWriting.close()
        let data = try drawing.fileHandleForReading.readToEnd() ?? Data()
        dot.waitUntilExit()
        guard dot.terminationReason == .exit, dot.terminationStatus == 0 else {
            throw CommandFailure(
                .failure, "Can't draw the model because \(program) failed: see its message.")
        }
        return data
    }
}
