import Anabranch
import Foundation

/// Small programs, one for each topic: `Cookbook create-and-save`.
///
/// Each program has its own file and uses a store in memory. With `url:` instead of
/// `storeDescription:` the store is a file.
@main
enum Cookbook {
    @MainActor private static let recipes:
        [(name: String, run: @MainActor () async throws -> Void)] =
            [
                ("create-and-save", createAndSave), ("read", read), ("delete", delete),
                ("sort-by-two-keys", sortByTwoKeys), ("follow-a-list", followAList),
                ("employees-and-managers", staffAndProjects),
                ("fetch-in-the-background", fetchInTheBackground),
                ("report-by-month", reportByMonth),
                ("transformable-colour", transformableColour),
                ("three-releases", threeReleases),
            ]

    @MainActor
    static func main() async throws {
        let name = CommandLine.arguments.dropFirst().first
        guard let recipe = recipes.first(where: { $0.name == name }) else {
            let names = recipes.map(\.name).joined(separator: " | ")
            try? FileHandle.standardError.write(contentsOf: Data("Usage: Cookbook \(names)\n".utf8))
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
