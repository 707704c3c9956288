import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import Foundation

/// The command `anabranchd zone create|list|show|hash|limit|verify|compact|forget`.
enum ZoneCommand {
    static func run(_ arguments: [String]) throws {
        let options = try CommandOptions(
            arguments, of: "zone", known: Set(["store", "keep"] + ZoneLimitCommand.options.keys),
            flags: ["repair"])
        guard !options.wantsHelp else { return print(HelpText.zone) }
        let action = try options.action(of: actions)
        guard action == "compact" || options["keep"] == nil else {
            throw options.usage("The option --keep can only be used with \"zone compact\".")
        }
        for name in ZoneLimitCommand.options.keys.sorted()
        where action != "limit" && options[name] != nil {
            throw options.usage("The option --\(name) can only be used with \"zone limit\".")
        }
        guard action == "verify" || !options.isSet("repair") else {
            throw options.usage("The option --repair can only be used with \"zone verify\".")
        }
        let kept = try options.number("keep", in: 0...Int.max) ?? defaultKept
        try checkWords(of: action, options)
        let replica = action == "forget" ? try replica(options) : nil
        let name = action == "list" ? nil : try options.zone(options.words[1])
        let store = try options.store(creating: action == "create")
        defer { store.close() }
        if action == "create", let name { return try store.createZone(name) }
        guard let name else {
            for zone in try store.zones() { print(zone) }
            return
        }
        let isRepairing = options.isSet("repair")
        if isRepairing { try store.lock() }
        try store.withZone(name) { zone in
            switch action {
            case "limit": try ZoneLimitCommand.run(options, on: zone)
            case "hash": print(try zone.canonicalHash().hash)
            case "verify": try show(try zone.verify(repairing: isRepairing), of: zone.name)
            case "forget": try replica.map { try forget($0, in: zone) }
            case "compact": show(try zone.compact(keeping: UInt64(kept)))
            default: show(try zone.information())
            }
        }
    }

    private static let actions = [
        "create", "list", "show", "hash", "limit", "verify", "compact", "forget",
    ]

    private static func checkWords(of action: String, _ options: CommandOptions) throws {
        let (count, message) =
            switch action {
            case "list": (1, "\"zone list\" takes no name.")
            case "forget": (3, "Type the name of one zone and the ID of one replica.")
            default: (2, "Type the name of one zone.")
            }
        guard options.words.count == count else { throw options.usage(message) }
    }

    private static func replica(_ options: CommandOptions) throws -> ReplicaID {
        guard let replica = ReplicaID(options.words[2]) else {
            throw options.usage("\"\(options.words[2])\" is not the ID of a replica.")
        }
        return replica
    }

    /// - Throws: `HTTPServerError` if the zone keeps nothing for the replica.
    private static func forget(_ replica: ReplicaID, in zone: ZoneService) throws {
        guard try zone.forget(replica) else {
            throw HTTPServerError("Zone \(zone.name) keeps no entries for a replica \(replica).")
        }
        print("Zone \(zone.name) keeps no entries for replica \(replica) until it returns.")
    }

    /// The number of log entries that `compact` keeps if `--keep` is not given.
    ///
    /// Clients that connect regularly need no older entries.
    private static let defaultKept = 10_000

    private static func show(_ compaction: ZoneCompaction) {
        print("forgotten  \(compaction.forgottenCount)")
        print("start      \(compaction.startPosition)")
        print("final      \(compaction.finalDeleteCount)")
    }

    /// Prints the result of a verification.
    ///
    /// - Throws: `HTTPServerError` if the zone is damaged or inconsistent and was not repaired.
    private static func show(_ found: ZoneVerification, of zone: ZoneName) throws {
        if found.damage.isEmpty { print("position  \(found.position)") }
        print("file      \(found.damage.isEmpty ? "whole" : "damaged")")
        for place in found.damage.prefix(maximumPlaces) { print("          \(place)") }
        let left = found.damage.count - maximumPlaces
        if left > 0 { print("          and \(left) more") }
        if found.damage.isEmpty {
            print("checksum  \(found.isChecksumRight ? "right" : "wrong")")
            print("counters  \(found.isUseRight ? "right" : "wrong")")
            print("state     \(words(for: found.differences))")
            for difference in (found.differences ?? []).prefix(maximumShown) {
                print("          \(difference.kind.rawValue) \(difference.record)")
            }
        }
        if found.isRepaired { print("repaired") }
        guard !found.isValid, !found.isRepaired else { return }
        let remedy =
            found.damage.isEmpty
            ? "Stop the daemon and repeat the command with --repair." : "Restore it from a backup."
        throw HTTPServerError("Zone \(zone) is damaged or inconsistent. \(remedy)")
    }

    private static let maximumShown = 100
    /// The number of places of damage that are shown; the first few say as much as all of them.
    private static let maximumPlaces = 10

    private static func words(for differences: [RecordDifference]?) -> String {
        guard let differences else { return "not compared: the log has been compacted" }
        return differences.isEmpty
            ? "agrees with the log" : "\(differences.count) records differ from the log"
    }

    private static func show(_ zone: ZoneDescription) {
        print("zone      \(zone.zone)")
        print("epoch     \(zone.epoch)")
        print("position  \(zone.position)")
        print("records   \(zone.records)")
        print("links     \(zone.links)")
        print("replicas  \(zone.replicas)")
        print("bytes     \(zone.bytes)")
        print("checksum  \(zone.checksum)")
        for quota in zone.quotas {
            print("quota     \(quota.quota): \(quota.used) of \(quota.limit)")
        }
        for epoch in zone.epochs.dropLast() {
            print("before    \(epoch.id)")
        }
    }
}
