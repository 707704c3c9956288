import Anabranch
import AnabranchSync
import Foundation

/// Compares a store with its zone, or checks its file.
struct VerifyCommand: Command {
    static let specification = CommandSpecification(
        name: "verify", summary: "Compares a store with its zone, record by record.",
        discussion: [
            "First exchanges new changes with the zone. Then compares checksums of the records, "
                + "over smaller and smaller ranges where they differ. With --repair the differing "
                + "records take the zone's state. 'anabranch conflicts' then lists values and "
                + "links that only the store had.",
            "A store that has never synced, or any store with --offline, is compared with its own "
                + "log instead. The command checks the SQLite file, the digests and origins of "
                + "the log's entries, and the records against the log.",
            "The exit status is 0 if nothing differs after the command, 65 if something differs, "
                + "and 75 if saves kept arriving, so that no comparison was possible.",
        ],
        options: ZoneConnection.options + [
            .flag("repair", "Sets the differing records to the zone's state."),
            .flag("offline", "Checks only the file, without the zone."), .json,
        ],
        examples: [
            .init("verify geo.store", "Lists differences from the zone."),
            .init("verify geo.store --repair", "Repairs the differences."),
            .init("verify geo.store --offline", "Checks the file without a server."),
        ])

    let path: String
    let connection: ZoneConnection
    let isRepairing: Bool
    let isOffline: Bool
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        connection = try ZoneConnection(arguments)
        isRepairing = arguments.isSet("repair")
        isOffline = arguments.isSet("offline")
        isJSON = arguments.isSet("json")
        if isRepairing, isOffline {
            throw arguments.error("--repair needs the zone, so it can't be used with --offline.")
        }
    }

    func run(_ console: Console) async throws {
        let container = try StoreFile.open(path, for: isOffline ? .reading : .writing)
        defer { container.coordinator.close() }
        let hasZone = try connection.server != nil || SyncStatus(of: container).server != nil
        guard hasZone || isRepairing, !isOffline else {
            return try report(try container.coordinator.checkFile(), console)
        }
        let engine = try connection.engine(for: container, console)
        let found = try await engine.tellingWaits(to: console) {
            try await engine.verify(repairing: isRepairing)
        }
        try report(found, console)
    }

    private static let maximumShown = 100

    // MARK: - With the zone

    private func report(_ found: ZoneComparison, _ console: Console) throws {
        try console.print(isJSON ? json(found) : text(found))
        try console.output.flush()
        switch found.result {
        case .equal, .repaired: return
        case .differing:
            throw CommandFailure(
                .data, "The store differs from its zone. Type --repair to repair it.")
        case .inconclusive(let obstacle): throw CommandFailure(obstacle, found)
        }
    }

    private func text(_ found: ZoneComparison) -> String {
        var lines = found.differences.prefix(Self.maximumShown).map { difference in
            "\(difference.kind.rawValue) \(RecordText.long(difference.record))"
        }
        let left = found.differenceCount - lines.count
        if left > 0 { lines.append("and \(left) more") }
        if found.strayRowCount > 0 {
            lines.append("\(Quantity.text(found.strayRowCount, "row")) that belong to no record")
        }
        let count = Quantity.text(found.differenceCount, "record")
        let place = "at position \(found.position)"
        let size = Quantity.text(Int(clamping: found.checksum.recordCount), "record")
        switch found.result {
        case .equal: lines.append("Equal \(place): \(size).")
        case .repaired: lines.append("Repaired \(count); equal \(place): \(size).")
        case .differing: lines.append("\(count) of \(size) differ \(place).")
        case .inconclusive: lines.append("Not decided \(place).")
        }
        return lines.joined(separator: "\n")
    }

    private func json(_ found: ZoneComparison) -> String {
        JSONText.object { json in
            json.member("result", found.result.name)
            if case .inconclusive(let obstacle) = found.result {
                json.member("obstacle", obstacle.rawValue)
            }
            json.member("position", found.position)
            json.member("records", found.checksum.recordCount)
            json.member("checksum", found.checksum.description)
            json.member("differing", found.differenceCount)
            json.member("strayRows", found.strayRowCount)
            json.member("requests", found.outcome.requestCount)
            json.key("differences")
            Self.write(found.differences, to: &json)
        }
    }

    private static func write(_ differences: [RecordDifference], to json: inout JSONText) {
        json.array { json in
            for difference in differences {
                json.object { json in
                    json.member("record", RecordText.long(difference.record))
                    json.member("kind", difference.kind.rawValue)
                }
            }
        }
    }

    // MARK: - Without it

    private func report(_ found: StoreCheck, _ console: Console) throws {
        try console.print(isJSON ? json(found) : text(found))
        try console.output.flush()
        guard !found.isValid else { return }
        throw CommandFailure(
            .data,
            found.damage.isEmpty
                ? "The store differs from its log. Compare it with its zone by 'anabranch "
                    + "verify', which can repair it."
                : "The store's file is damaged. Restore a backup, or create a new store and sync "
                    + "it.")
    }

    /// The number of places of damage that are shown; the first few say as much as all of them.
    private static let maximumPlaces = 10

    /// The result, which stands before the places that it is about.
    private func text(_ found: StoreCheck) -> String {
        guard found.isValid else { return invalidText(found) }
        return found.differences == nil
            ? "File and log are undamaged. The records can't be compared, because the log no "
                + "longer reaches its beginning."
            : "File and log are undamaged, and the records agree with the log."
    }

    private func invalidText(_ found: StoreCheck) -> String {
        let differences = (found.differences ?? []).map { difference in
            "\(difference.kind.rawValue) \(RecordText.long(difference.record))"
        }
        let places = found.damage + found.logFaults
        var lines: [String] = []
        if !found.damage.isEmpty {
            lines.append("The file is damaged: SQLite reports this.")
        } else if !found.logFaults.isEmpty {
            lines.append("The log has damaged entries.")
        } else {
            let count = Quantity.text(differences.count, "record")
            lines.append("\(count) \(differences.count == 1 ? "differs" : "differ") from the log.")
        }
        let shown =
            places.prefix(Self.maximumPlaces) + differences.prefix(Self.maximumShown)
        lines += shown
        let left = places.count + differences.count - shown.count
        if left > 0 { lines.append("and \(left) more; --json lists all") }
        return lines.joined(separator: "\n")
    }

    private func json(_ found: StoreCheck) -> String {
        JSONText.object { json in
            json.member("result", found.isValid ? "right" : "wrong")
            json.member("damage", found.damage)
            json.member("log", found.logFaults)
            json.key("differences")
            if let differences = found.differences {
                Self.write(differences, to: &json)
            } else {
                json.null()
            }
        }
    }
}

extension ZoneComparison.Result {
    fileprivate var name: String {
        switch self {
        case .equal: "equal"
        case .repaired: "repaired"
        case .differing: "differing"
        case .inconclusive: "undecided"
        }
    }
}

extension CommandFailure {
    fileprivate init(_ obstacle: VerificationObstacle, _ found: ZoneComparison) {
        switch obstacle {
        case .busy:
            self.init(
                .temporary,
                "Nothing could be compared because new saves kept arriving. Try "
                    + "again.")
        case .blocked:
            self.init(
                .failure,
                "Nothing could be compared because the zone refuses the store's saves. "
                    + (found.outcome.blockedBy?.message ?? ""))
        case .zoneInconsistent:
            self.init(
                .failure,
                "The zone's own checksums disagree. Its operator must run 'anabranchd zone "
                    + "verify'.")
        default:
            self.init(
                .data, "The store could not be repaired (\(obstacle.rawValue)). Report a bug.")
        }
    }
}
