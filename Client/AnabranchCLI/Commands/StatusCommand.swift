import Anabranch
import AnabranchSync
import Foundation

/// Shows the content of a store and the state of its sync.
struct StatusCommand: Command {
    static let specification = CommandSpecification(
        name: "status", summary: "Shows the content of a store and the state of its sync.",
        discussion: [
            "Reads only the file and does not contact the server. The state of the sync is that "
                + "of the last sync.",
            "The number of records of a large table is an estimate, which the word 'about' says.",
        ],
        options: [
            .json,
            .flag("exact", "Counts all records, which reads the whole of large tables."),
        ],
        examples: [
            .init("status geo.store", "Shows one store."),
            .init("status geo.store --exact", "Counts the records of large tables too."),
        ])

    let path: String
    let isJSON: Bool
    let isExact: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        isJSON = arguments.isSet("json")
        isExact = arguments.isSet("exact")
    }

    private struct EntityCount {
        let name: String
        let count: Int
        var isEstimate = false

        var shown: String { isEstimate ? "about \(count)" : "\(count)" }
    }

    private struct Facts {
        var replica: ReplicaID
        var entities: [EntityCount]
        var vector: VersionVector
        /// The number of change sets of bundles that wait for their causes.
        var waiting: Int
        var conflicts: Int
        var rejected: Int
        /// The stage of a migration that the store waits for.
        var pendingStage: String?
        var byteCount: Int64
        var sync: SyncStatus

        var changeSets: UInt64 { vector.heads.reduce(0) { $0 + $1.sequence } }
    }

    func run(_ console: Console) async throws {
        let container = try StoreFile.open(path, for: .reading)
        defer { container.coordinator.close() }
        let facts = try facts(of: container)
        if isJSON { try console.print(json(facts)) } else { try write(facts, console) }
    }

    private func facts(of container: PersistentContainer) throws -> Facts {
        let coordinator = container.coordinator
        let entities = try container.newBackgroundContext().performAndWait { context in
            try context.model.entities.filter { !$0.isAbstract }.map { entity in
                let estimate =
                    isExact ? nil : try coordinator.estimatedCount(ofEntity: entity.name)
                if let estimate {
                    return EntityCount(name: entity.name, count: estimate, isEstimate: true)
                }
                var request = FetchRequest<ManagedObject>(entityName: entity.name)
                request.includesSubentities = false
                return EntityCount(name: entity.name, count: try context.count(for: request))
            }
        }
        return Facts(
            replica: try coordinator.replicaID, entities: entities,
            vector: try coordinator.versionVector(),
            waiting: try coordinator.waitingChangeSetCount(),
            conflicts: try coordinator.conflictCount(),
            rejected: try coordinator.rejectedSaveCount(),
            pendingStage: coordinator.pendingMigrationStage,
            byteCount: StoreFile.byteCount(path),
            sync: try SyncStatus(of: container.coordinator))
    }

    private func write(_ facts: Facts, _ console: Console) throws {
        var lines = [
            ("Store", "\(path), \(Quantity.bytes(facts.byteCount))"),
            ("Replica", facts.replica.description),
            (
                "Change sets",
                "\(facts.changeSets), of "
                    + Quantity.text(facts.vector.heads.count, "replica")
            ),
            (
                "Conflicts",
                facts.conflicts == 0
                    ? "none" : "\(facts.conflicts) in the journal; see 'anabranch conflicts'"
            ),
        ]
        if facts.waiting > 0 {
            let waiting = Quantity.text(facts.waiting, "change set")
            lines.append(("Waiting", "\(waiting) of bundles, for missing change sets"))
        }
        if facts.rejected > 0 {
            let saves = Quantity.text(facts.rejected, "save")
            lines.append(("Rejected", "\(saves); see 'anabranch rejected'"))
        }
        if let stage = facts.pendingStage {
            let label = TerminalText.printable(stage)
            lines.append(
                ("Migration", "waits for the stage '\(label)'; open it with the app that has it"))
        }
        if let minimum = facts.sync.minimumVersion {
            lines.append(("App version", "\(minimum) or later, as the zone needs"))
        }
        lines += syncLines(facts.sync)
        for (name, text) in lines { try console.print(text, titled: name, width: 14) }
        try console.print()
        var table = TextTable([.init("Entity"), .init("Records", .right)])
        for entity in facts.entities { table.append([entity.name, entity.shown]) }
        try console.print(table)
    }

    private func syncLines(_ sync: SyncStatus) -> [(String, String)] {
        guard let server = sync.server, let zone = sync.zone else {
            return [("Zone", "none yet; see 'anabranch sync --help'")] + errorLines(sync)
        }
        let pending =
            sync.pendingCount == 0
            ? "nothing"
            : "\(Quantity.text(sync.pendingCount, "change set")), "
                + Quantity.bytes(sync.pendingByteCount)
        let last = sync.lastExchange.map {
            TimeText.short(wallMilliseconds: Int64($0.timeIntervalSince1970 * 1000))
        }
        var lines = [
            ("Zone", "\(zone) at \(server)"), ("Position", String(sync.position)),
            ("To be sent", pending), ("Last sync", last ?? "never"),
            ("Caught up", caughtUp(sync)),
        ]
        if let file = sync.certificateAuthorities {
            lines.append(("CA file", TerminalText.printable(file)))
        }
        if let client = sync.clientCertificate {
            lines.append(("Certificate", TerminalText.printable(client.certificateFile)))
        }
        if !sync.quotas.isEmpty { lines.append(("Quotas", sync.quotas.shown)) }
        if let blocked = sync.blockedBy { lines.append(("Blocked by", blocked.shown)) }
        return lines + errorLines(sync)
    }

    private func errorLines(_ sync: SyncStatus) -> [(String, String)] {
        var lines: [(String, String)] = []
        if let foreign = sync.foreignZone {
            lines.append(("Warning", TerminalText.printable(foreign.message)))
        }
        if let missing = sync.missingEvents {
            lines.append(("Live events", "missing, so the zone is polled: \(missing.shown)"))
        }
        if let error = sync.lastError { lines.append(("Last error", error.shown)) }
        return lines
    }

    private func caughtUp(_ sync: SyncStatus) -> String {
        if sync.isCaughtUp { return "yes, as of the last sync" }
        if sync.blockedBy != nil { return "no, the zone refuses a save" }
        if sync.lastError != nil { return "no, the last sync failed" }
        if sync.position < sync.headPosition { return "no, the zone had more to send" }
        return sync.pendingCount > 0 ? "no, saves are not sent yet" : "no"
    }

    private func json(_ facts: Facts) -> String {
        JSONText.object { json in
            json.member("store", path)
            json.member("byteCount", facts.byteCount)
            json.member("replica", facts.replica.description)
            json.member("changeSets", facts.changeSets)
            json.member("vector", VectorText.text(facts.vector))
            json.member("waiting", facts.waiting)
            json.member("conflicts", facts.conflicts)
            json.member("rejected", facts.rejected)
            json.member("pendingStage", facts.pendingStage)
            json.member("server", facts.sync.server)
            json.member("zone", facts.sync.zone)
            json.member("position", facts.sync.position)
            json.member("pending", facts.sync.pendingCount)
            json.member(
                "lastExchange",
                facts.sync.lastExchange.map { TimeText.text($0.timeIntervalSinceReferenceDate) })
            if let minimum = facts.sync.minimumVersion {
                json.member("minimumVersion", minimum)
            }
            json.member("isCaughtUp", facts.sync.isCaughtUp)
            json.member("blockedBy", facts.sync.blockedBy?.code.rawValue)
            json.member("blockedByMessage", facts.sync.blockedBy?.message)
            json.member("lastError", facts.sync.lastError?.code.rawValue)
            json.member("lastErrorMessage", facts.sync.lastError?.message)
            if let foreign = facts.sync.foreignZone {
                json.member("foreignEntities", foreign.zoneEntities)
            }
            if let missing = facts.sync.missingEvents {
                json.member("missingEvents", missing.code.rawValue)
                json.member("missingEventsMessage", missing.message)
            }
            json.member("caFile", facts.sync.certificateAuthorities)
            json.member("clientCertificate", facts.sync.clientCertificate?.certificateFile)
            if !facts.sync.quotas.isEmpty {
                json.object("quotas") { json in
                    for quota in facts.sync.quotas {
                        json.object(quota.name) { json in
                            json.member("limit", Int64(clamping: quota.limit))
                            json.member("used", Int64(clamping: quota.used))
                        }
                    }
                }
            }
            json.object("entities") { json in
                for entity in facts.entities { json.member(entity.name, entity.count) }
            }
            let estimated = facts.entities.filter(\.isEstimate).map(\.name)
            guard !estimated.isEmpty else { return }
            json.member("estimated", estimated)
        }
    }
}

extension [ZoneQuota] {
    /// The amounts, such as `records 90 of 100`.
    fileprivate var shown: String {
        map { "\(TerminalText.printable($0.name)) \($0.used) of \($0.limit)" }
            .joined(separator: ", ")
    }
}

extension SyncError {
    fileprivate var shown: String { TerminalText.printable("\(code.rawValue): \(message)") }
}
