import Anabranch
import AnabranchSync
import Foundation

/// Exchanges a store's changes with its zone.
struct SyncCommand: Command {
    static let specification = CommandSpecification(
        name: "sync", summary: "Exchanges changes with the zone.",
        discussion: [
            "The first sync needs --server and --zone, which the store then keeps. A save that "
                + "the zone refuses stays in the store, and the exit status is 1.",
            "With --move the store leaves its present zone and joins the one that --server and "
                + "--zone name, whatever that zone already contains. It sends the new zone "
                + "everything that it lacks. If the old zone still answers, sync with it first. "
                + "Every store of the zone must be moved by itself. A move can't be undone.",
        ],
        options: ZoneConnection.options + [
            .flag("move", "Moves the store to another zone."),
            .flag(
                "refuse-foreign-zone",
                "Fails, and sends nothing, if all records of the zone are of entities that the "
                    + "store's model lacks, instead of warning."),
            .json,
        ],
        examples: [
            .init(
                "sync geo.store --server https://sync.example.org --zone geo --token-file token",
                "The first sync."),
            .init("sync geo.store", "Every later one, with ANABRANCH_TOKEN set."),
            .init(
                "sync geo.store --move --server https://new.example.org --zone geo",
                "The first sync with another server."),
        ])

    let path: String
    let connection: ZoneConnection
    let isMoving: Bool
    let refusesForeignZone: Bool
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        connection = try ZoneConnection(arguments)
        isMoving = arguments.isSet("move")
        refusesForeignZone = arguments.isSet("refuse-foreign-zone")
        isJSON = arguments.isSet("json")
        if isMoving, connection.server == nil {
            throw arguments.error(
                "--move needs --server URL, and also --zone NAME if the name of the zone differs.")
        }
    }

    func run(_ console: Console) async throws {
        let container = try StoreFile.open(path, for: .writing)
        defer { container.coordinator.close() }
        let engine = try connection.engine(for: container, console, isMoving: isMoving) {
            $0.refusesForeignZone = refusesForeignZone
        }
        let outcome = try await engine.tellingWaits(to: console) {
            try await engine.synchronize()
        }
        let (minimum, foreign) = (engine.status.minimumVersion, engine.status.foreignZone)
        try console.print(isJSON ? json(outcome, minimum, foreign) : text(outcome, minimum))
        if let foreign {
            console.writeNote("Warning: \(TerminalText.printable(foreign.message))")
        }
        if let refusal = outcome.blockedBy {
            try console.output.flush()
            // The detail shows that the answer is not the sync server's.
            let cause =
                refusal.details["status"] == nil
                ? "the zone refuses the first of them"
                : "the first of them does not reach the zone"
            throw CommandFailure(
                .failure,
                "\(outcome.pendingCount) of the store's saves wait because \(cause). "
                    + refusal.message)
        }
    }

    private func text(_ outcome: SyncOutcome, _ minimum: Int?) -> String {
        guard let minimum else { return text(outcome) }
        return text(outcome) + "\nThe zone needs version \(minimum) of the app or a later one."
    }

    private func text(_ outcome: SyncOutcome) -> String {
        var pulled = Quantity.text(outcome.pulledChangeSets, "change set")
        if outcome.snapshotRecords > 0 {
            let records = Quantity.text(outcome.snapshotRecords, "record")
            pulled = "a snapshot of \(records) and \(pulled)"
        }
        let pushed = Quantity.text(outcome.pushedChangeSets, "change set")
        var text = "Pulled \(pulled), pushed \(pushed); at position \(outcome.position)"
        if outcome.isCaughtUp { text += ", caught up" }
        if let reason = outcome.snapshotReason {
            text +=
                ".\nA snapshot replaced the store's records, and every save was kept: "
                + "\(reason.message)"
            if outcome.rejectedSaves == 0 { return text }
        }
        if let copy = outcome.keptCopy {
            text +=
                ".\nThe zone was restored to a state from before this store's log; \(copy) has "
                + "the records from before"
        }
        guard outcome.rejectedSaves > 0 else { return text + "." }
        let rejected = Quantity.text(outcome.rejectedSaves, "save")
        return text + ".\nThe zone rejected \(rejected); see 'anabranch rejected'."
    }

    private func json(_ outcome: SyncOutcome, _ minimum: Int?, _ foreign: ForeignZone?) -> String {
        JSONText.object { json in
            json.member("pulled", outcome.pulledChangeSets)
            if outcome.snapshotRecords > 0 {
                json.member("snapshotRecords", outcome.snapshotRecords)
            }
            json.member("pushed", outcome.pushedChangeSets)
            json.member("rejected", outcome.rejectedSaves)
            json.member("position", outcome.position)
            json.member("headPosition", outcome.headPosition)
            json.member("pending", outcome.pendingCount)
            json.member("isCaughtUp", outcome.isCaughtUp)
            json.member("blockedBy", outcome.blockedBy?.code.rawValue)
            if let copy = outcome.keptCopy { json.member("keptCopy", copy) }
            if let minimum { json.member("minimumVersion", minimum) }
            if let reason = outcome.snapshotReason {
                json.member("snapshotReason", reason.code.rawValue)
            }
            if let foreign {
                json.member("foreignEntities", foreign.zoneEntities)
            }
        }
    }
}
