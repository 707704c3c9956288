import AnabranchModel
import Foundation

/// The program `AnabranchModelTool MODEL OUTPUT`, which reads a model file and writes its classes.
@main
enum ModelTool {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            // Build systems show a line of this form as an error of the build.
            try? FileHandle.standardError.write(contentsOf: Data("error: \(error)\n".utf8))
            exit(1)
        }
    }

    static func run(_ arguments: [String]) throws {
        guard arguments.count == 2 else {
            throw Usage()
        }
        let file = URL(filePath: arguments[0])
        let model = try ManagedObjectModel.reading(file)
        let name = file.deletingPathExtension().lastPathComponent
        try ClassWriter(model: model, fileName: name).source()
            .write(to: URL(filePath: arguments[1]), atomically: true, encoding: .utf8)
    }

    struct Usage: Error, CustomStringConvertible {
        let description = "Usage: AnabranchModelTool MODEL.xcdatamodeld OUTPUT.swift"
    }
}
