import Anabranch
import Foundation

/// Small programs, one for each thing that one looks up: `Cookbook create-and-save`.
///
/// Each has a file of its own, and a store in memory; `url:` in the place of `storeDescription:`
/// keeps it in a file.
@main
enum Cookbook {
    @MainActor private static let recipes:
        [(name: String, run: @MainActor () async throws -> Void)] =
            [
                ("create-and-save", createAndSave), ("read", read), ("delete", delete),
                ("sort-by-two-keys", sortByTwoKeys), ("follow-a-list", followAList),
                ("employees-and-managers", staffAndProjects),
                ("fetch-in-the-background", fetchInTheBackground),
                ("transformable-colour", transformableColour),
            ]

    @MainActor
    static func main() async throws {
        let name = CommandLine.arguments.dropFirst().first
        guard let recipe = recipes.first(where: { $0.name == name }) else {
            let names = recipes.map(\.name).joined(separator: " | ")
            FileHandle.standardError.write(Data("Usage: Cookbook \(names)\n".utf8))
            exit(64)
        }
        try await recipe.run()
    }

    /// A container with a store in memory.
    static func container() throws -> PersistentContainer {
        let container = PersistentContainer(
            model: try CookbookModel.make(), classes: CookbookModel.classes,
            storeDescription: .inMemory)
        try container.load()
        return container
    }
}
