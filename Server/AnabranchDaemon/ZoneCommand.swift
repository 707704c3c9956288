import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import Foundation

/// `anabranchd zone list|show|hash|compact`.
enum ZoneCommand {
    static func run(_ arguments: [String]) throws {
        let options = try CommandOptions(arguments, of: "zone", known: ["store", "keep"])
        guard !options.wantsHelp else { return print(HelpText.zone) }
        guard let action = options.words.first, actions.contains(action) else {
            throw options.usage("Say list, show, hash or compact.")
        }
        guard action == "compact" || options["keep"] == nil else {
            throw options.usage("The option --keep is for \"zone compact\".")
        }
        let kept = try options.number("keep", in: 0...Int.max) ?? defaultKept
        guard options.words.count == (action == "list" ? 1 : 2) else {
            throw options.usage(
                action == "list" ? "\"zone list\" takes no name." : "Give the name of one zone.")
        }
        let name = action == "list" ? nil : try options.zone(options.words[1])
        let store = try options.store()
        defer { store.close() }
        guard let name else {
            for zone in try store.zones() { print(zone) }
            return
        }
        try store.withZone(name) { zone in
            switch action {
            case "hash": print(try zone.canonicalHash().hash)
            case "compact": show(try zone.compact(keeping: UInt64(kept)))
            default: show(try zone.information())
            }
        }
    }

    private static let actions = ["list", "show", "hash", "compact"]
    /// Entries of the log: about what clients that are seldom away need.
    private static let defaultKept = 10_000

    private static func show(_ compaction: ZoneCompaction) {
        print("forgotten  \(compaction.forgottenCount)")
        print("start      \(compaction.startPosition)")
        print("final      \(compaction.finalDeleteCount)")
    }

    private static func show(_ zone: ZoneDescription) {
        print("zone      \(zone.zone)")
        print("epoch     \(zone.epoch)")
        print("position  \(zone.position)")
        print("records   \(zone.records)")
        print("links     \(zone.links)")
        print("replicas  \(zone.replicas)")
        print("bytes     \(zone.bytes)")
        for epoch in zone.epochs.dropLast() {
            print("before    \(epoch.id)")
        }
    }
}
