import Anabranch
import Foundation

/// Migrates a store to another version of its model.
struct MigrateCommand: Command {
    static let specification = CommandSpecification(
        name: "migrate", summary: "Migrates a store to another version of its model.",
        discussion: [
            "The migration is inferred from the differences between the store's model and the "
                + "given one. Nothing is lost: what the new version does not know is kept in the "
                + "store. Other programs that have the store open can't write any more until "
                + "they open it again. An app's own stages can't be run here: if the app "
                + "has any, open the store with the app instead.",
            "The exit status is 65, and the store unchanged, if no migration can be inferred, or "
                + "if records share a key that is unique in the new version only.",
        ],
        options: ModelFile.options + [
            .flag(
                "dry-run",
                "Lists what would change, with the time that it takes, and changes nothing: the "
                    + "migration is carried out and rolled back."),
            .flag(
                "keep-copy",
                "Keeps the old store as STORE.before-migration until an app opens the new one."),
            .json,
        ],
        examples: [
            .init(
                "migrate geo.store --model Geo.xcdatamodeld --dry-run", "Lists what would change."),
            .init("migrate geo.store --model Geo.xcdatamodeld", "Migrates the store."),
        ])

    let path: String
    let model: String
    let version: String?
    let isDryRun: Bool
    let keepsCopy: Bool
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        guard let model = arguments.text("model"), !model.isEmpty else {
            throw arguments.error(
                "'migrate' needs a model: anabranch migrate \(ShellWord.quoted(path)) --model FILE")
        }
        self.model = model
        version = arguments.text("model-version")
        isDryRun = arguments.isSet("dry-run")
        keepsCopy = arguments.isSet("keep-copy")
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        let stored = try StoreFile.open(path, for: .writing)
        defer { stored.coordinator.close() }
        let (source, pending) = (stored.model, stored.coordinator.pendingMigrationStage)
        if let pending {
            throw CommandFailure(
                .data,
                "Can't migrate \(path) because the stage '\(pending)' of its last migration is not "
                    + "complete. Open it with the app that has this stage, then migrate it.")
        }
        let model = try ModelFile.read(model, version: version, console)
        let migration = try InferredMigration(from: source, to: model)
        let isNeeded = !model.hasVersion(of: source)
        var forecast: Forecast?
        if isDryRun {
            if isNeeded {
                forecast = try Forecast(of: stored.coordinator, to: model)
            }
        } else {
            stored.coordinator.close()
            try migrate(to: model)
        }
        guard isNeeded || isJSON else {
            return try console.print("\(path) has the version of \(self.model) already.")
        }
        try console.print(isJSON ? json(migration, forecast, isNeeded) : text(migration, forecast))
    }

    /// The work of a migration, found out by one that is rolled back.
    private struct Forecast {
        let records: Int
        let duration: Duration

        init(of coordinator: PersistentStoreCoordinator, to model: ManagedObjectModel) throws {
            let start = ContinuousClock.now
            records = try coordinator.rehearseMigration(to: model).writtenRecords
            duration = ContinuousClock.now - start
        }

        var seconds: Double { duration / .seconds(1) }

        var text: String {
            let what =
                switch records {
                case 0: "no record"
                case 1: "1 record"
                default: "\(records) records"
                }
            let time = seconds < 0.1 ? "less than 0.1" : String(format: "about %.1f", seconds)
            return "It would write \(what), and take \(time) s."
        }
    }

    private func migrate(to model: ManagedObjectModel) throws {
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        description.options.keepsCopyWhenMigrating = keepsCopy
        let container = PersistentContainer(model: model, storeDescription: description)
        try container.load()
        container.coordinator.close()
    }

    private func text(_ migration: InferredMigration, _ forecast: Forecast?) -> String {
        let count = migration.changes.count
        let changes =
            switch count {
            case 0: "no change but that of version hashes"
            case 1: "1 change:"
            default: "\(count) changes:"
            }
        let title = "\(isDryRun ? "Would migrate" : "Migrated") \(path) with \(changes)"
        let lines = [title] + migration.changes.map { "  \($0)" }
        return (lines + [forecast?.text].compactMap(\.self)).joined(separator: "\n")
    }

    private func json(
        _ migration: InferredMigration, _ forecast: Forecast?, _ isNeeded: Bool
    ) -> String {
        JSONText.object { json in
            json.member("store", path)
            json.member("migrated", !isDryRun && isNeeded)
            json.member("changes", migration.changes.map { $0.description })
            if let forecast {
                json.member("records", forecast.records)
                json.member("milliseconds", Int(forecast.seconds * 1000))
            }
        }
    }
}
