import Anabranch
import Foundation

/// Makes a store's file smaller.
struct CompactCommand: Command {
    static let specification = CommandSpecification(
        name: "compact", summary: "Removes old saves from a store's log, and shortens its file.",
        discussion: [
            "The log of a store has every save. A save that the zone has too is removed from it "
                + "when it is older than 30 days, and after two days while the log has more than "
                + "64 MiB. With --keep, TIME alone decides. Records, conflicts and saves that the "
                + "zone does not have are never removed.",
            "A zone that is restored from a backup gets back what the logs of its stores have. So "
                + "TIME should be longer than the time between two backups of the zone.",
            "Then the file is written anew without free space. The disk needs room for a second "
                + "file meanwhile.",
        ],
        options: [
            OptionSpecification(
                "keep", "TIME", "Keeps the saves of this time, such as 12h or 90d."),
            .flag("keep-all", "Removes no save."), .json,
        ],
        examples: [
            .init("compact geo.store", "Removes what is older than 30 days."),
            .init("compact geo.store --keep 7d", "Keeps the saves of a week."),
        ])

    let path: String
    let retention: LogRetention
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        isJSON = arguments.isSet("json")
        guard let text = arguments.text("keep") else {
            retention = arguments.isSet("keep-all") ? .everything : .standard
            return
        }
        guard !arguments.isSet("keep-all") else {
            throw arguments.error("Type --keep or --keep-all, not both.")
        }
        guard let age = DurationText.read(text) else {
            throw arguments.error("--keep takes \(DurationText.form), not '\(text)'.")
        }
        retention = LogRetention(age: age)
    }

    func run(_ console: Console) async throws {
        let container = try StoreFile.open(path, for: .writing)
        defer { container.coordinator.close() }
        let result = try container.coordinator.compact(keeping: retention)
        try console.print(isJSON ? json(result) : text(result))
    }

    private func text(_ result: CompactionResult) -> String {
        "Removed \(Quantity.text(result.removedSaveCount, "save")) from the log. The file has "
            + "\(Quantity.bytes(result.byteCount)); it had "
            + "\(Quantity.bytes(result.byteCountBefore))."
    }

    private func json(_ result: CompactionResult) -> String {
        JSONText.object { json in
            json.member("removedSaves", result.removedSaveCount)
            json.member("bytesBefore", result.byteCountBefore)
            json.member("bytes", result.byteCount)
        }
    }
}
