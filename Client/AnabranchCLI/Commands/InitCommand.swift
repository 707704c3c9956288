import Anabranch
import Foundation

/// Creates an empty store for a model.
struct InitCommand: Command {
    static let specification = CommandSpecification(
        name: "init", summary: "Creates an empty store for a model.",
        discussion: [
            "The store contains the model, so every other command works without the model file. "
                + "To create another replica of a store, create a store with the same model and "
                + "sync it with 'anabranch sync'."
        ],
        options: ModelFile.options + [.json],
        examples: [
            .init("init geo.store --model Geo.xcdatamodeld", "Creates the file geo.store.")
        ])

    let path: String
    let model: String
    let version: String?
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        guard let model = arguments.text("model"), !model.isEmpty else {
            throw arguments.error(
                "'init' needs a model: anabranch init \(ShellWord.quoted(path)) --model FILE")
        }
        self.model = model
        version = arguments.text("model-version")
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                .cannotCreate, "Can't create \(path) because the file exists already.")
        }
        let model = try ModelFile.read(model, version: version, console)
        let container = PersistentContainer(model: model, url: URL(fileURLWithPath: path))
        do {
            try container.load()
        } catch let error as StoreError where error.code == .cannotOpen {
            throw CommandFailure(.cannotCreate, error.message)
        }
        defer { container.coordinator.close() }
        let names = model.entities.map(\.name)
        guard isJSON else {
            let list = names.joined(separator: ", ")
            let count = names.count == 1 ? "1 entity" : "\(names.count) entities"
            return try console.print("Created \(path) with \(count): \(list).")
        }
        try console.print(
            JSONText.object { json in
                json.member("store", path)
                json.member("entities", names)
            })
    }
}
