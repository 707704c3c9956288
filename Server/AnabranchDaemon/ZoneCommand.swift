import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import Foundation

/// `anabranchd zone list|show|hash`.
enum ZoneCommand {
    static func run(_ arguments: [String]) throws {
        let options = try CommandOptions(arguments, of: "zone", known: ["store"])
        guard !options.wantsHelp else { return print(HelpText.zone) }
        guard let action = options.words.first, ["list", "show", "hash"].contains(action) else {
            throw options.usage("Say list, show or hash.")
        }
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
            if action == "hash" {
                print(try zone.canonicalHash().hash)
            } else {
                show(try zone.information())
            }
        }
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
