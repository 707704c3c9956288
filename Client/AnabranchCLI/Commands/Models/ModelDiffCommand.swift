import Anabranch

/// Lists the differences between two versions of a model, and says if a migration is inferred.
struct ModelDiffCommand: Command {
    static let specification = CommandSpecification(
        name: "model diff", summary: "Lists what differs between two versions of a model.",
        discussion: [
            "OLD and NEW are model files or stores. Without NEW, two versions of one "
                + ".xcdatamodeld are compared. The changes are those that a migration from OLD to "
                + "NEW makes; other settings are taken over when a store is opened.",
            "The exit status is 65 if no migration can be inferred, and 0 otherwise.",
        ],
        arguments: [
            ArgumentSpecification(
                "OLD", "A model file of Xcode (.xcdatamodeld or .xcdatamodel), or a store."),
            ArgumentSpecification(
                "NEW", "The other model file or store; by default that of OLD.",
                isRequired: false),
        ],
        options: [
            OptionSpecification(
                "from-version", "NAME", "The version of OLD; by default the current one."),
            OptionSpecification(
                "to-version", "NAME", "The version of NEW; by default the current one."),
            .json,
        ],
        examples: [
            .init(
                "model diff Geo.xcdatamodeld --from-version 'Geo 1'",
                "Lists the changes from a version to the current one."),
            .init(
                "model diff geo.store Geo.xcdatamodeld",
                "Lists what a migration of a store would change."),
        ])

    let old: ModelSource
    let new: ModelSource
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let path = try arguments.word("OLD")
        let versions = (arguments.text("from-version"), arguments.text("to-version"))
        old = ModelSource(path, version: versions.0)
        new = ModelSource(arguments.optionalWord("NEW") ?? path, version: versions.1)
        isJSON = arguments.isSet("json")
        if arguments.optionalWord("NEW") == nil, versions.0 == versions.1 {
            throw arguments.error(
                "'model diff' needs two versions: anabranch model diff \(path) --from-version "
                    + "NAME")
        }
    }

    func run(_ console: Console) async throws {
        let (source, destination) = (try old.read(console), try new.read(console))
        let text = ModelComparisonText(from: source, to: destination)
        let settings = SettingDifference.all(from: source, to: destination)
        try console.print(
            isJSON
                ? json(text, settings)
                : self.text(text, settings, areEqual: source == destination))
        if !text.differences.refusals.isEmpty {
            // The error lists the refusals and ends the program with the status for them.
            _ = try InferredMigration(from: source, to: destination)
        }
    }

    private func text(
        _ comparison: ModelComparisonText, _ settings: [SettingDifference], areEqual: Bool
    ) -> String {
        if areEqual { return "The models are equal." }
        var lines = ["From \(old.name)", "to \(new.name):"]
        lines += comparison.changes.map { "  \($0)" }
        lines += settings.map { "  \($0.description)" }
        lines.append(conclusion(comparison.differences))
        return lines.map(TerminalText.printable).joined(separator: "\n")
    }

    private func conclusion(_ differences: ModelDifferences) -> String {
        if differences.isSameVersion {
            return "A store of the one opens with the other, without a migration."
        }
        return differences.refusals.isEmpty
            ? "A migration can be inferred." : "No migration can be inferred."
    }

    private func json(
        _ comparison: ModelComparisonText, _ settings: [SettingDifference]
    ) -> String {
        JSONText.object { json in
            json.member("from", old.path)
            json.member("fromVersion", old.version)
            json.member("to", new.path)
            json.member("toVersion", new.version)
            json.member("isSameVersion", comparison.differences.isSameVersion)
            json.member("isInferable", comparison.differences.refusals.isEmpty)
            json.member("changes", comparison.changes)
            json.array("settings") { json in
                for setting in settings {
                    json.object { json in
                        json.member("entity", setting.entity)
                        json.member("property", setting.property)
                        json.member("setting", setting.setting)
                        json.member("old", setting.old)
                        json.member("new", setting.new)
                    }
                }
            }
            json.array("refusals") { json in
                for refusal in comparison.differences.refusals {
                    json.object { json in
                        json.member("entity", refusal.entity)
                        json.member("property", refusal.property)
                        json.member("message", refusal.message)
                    }
                }
            }
        }
    }
}
