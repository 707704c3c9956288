import Anabranch

/// Lists the change sets that a store holds.
struct LogCommand: Command {
    static let specification = CommandSpecification(
        name: "log", summary: "Lists change sets with time, author, causal context and changes.",
        discussion: [
            "The newest change sets come last. SET is the name that 'anabranch show' takes. "
                + "CONTEXT is the causal context, which is what the author held: the zone's log "
                + "up to a position, and change sets beyond it."
        ],
        options: [
            OptionSpecification(
                "limit", "N",
                "The number of change sets, the last ones; 20 by "
                    + "default."),
            .flag("all", "Lists all change sets."),
            OptionSpecification(
                "after", "POSITION",
                "Only change sets after this position of the "
                    + "store's log."),
            .json,
        ],
        examples: [.init("log geo.store --limit 5", "Lists the last five change sets.")])

    let path: String
    let limit: Int
    let after: Int?
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        after = try arguments.number("after", in: 0 ... .max)
        let isAll = arguments.isSet("all") || after != nil
        limit = try arguments.number("limit", in: 1 ... .max) ?? (isAll ? .max : 20)
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        let container = try StoreFile.open(path, for: .reading)
        defer { container.coordinator.close() }
        let coordinator = container.coordinator
        let last = try coordinator.currentHistoryPosition().rawValue
        let start = after.map(Int64.init) ?? (limit == .max ? 0 : max(0, last - Int64(limit)))
        var table = TextTable([
            .init("#", .right), .init("SET"), .init("TIME"), .init("AUTHOR"), .init("ZONE", .right),
            .init("CONTEXT"), .init("CHANGES"),
        ])
        let expired = try coordinator.expiredHistoryPosition().rawValue
        if start < expired {
            console.writeNote("Saves up to number \(expired) are no longer in the log.")
        }
        try forEachSet(in: coordinator, after: start) { set in
            let text = ChangeSetText(set)
            guard !isJSON else { return try console.print(text.json(withBlocks: false)) }
            table.append([
                String(set.position.rawValue), RecordText.short(set.changeSet.dot), text.time,
                set.changeSet.author, set.zonePosition.map(String.init) ?? "-", text.vector,
                text.summary,
            ])
        }
        if !isJSON { try console.print(table) }
    }

    private func forEachSet(
        in coordinator: PersistentStoreCoordinator, after start: Int64,
        _ body: (LoggedChangeSet) throws -> Void
    ) throws {
        var position = HistoryPosition(rawValue: start)
        var rest = limit
        while rest > 0 {
            let sets = try coordinator.changeSets(after: position, limit: min(rest, 100))
            for set in sets { try body(set) }
            guard let last = sets.last else { return }
            position = last.position
            rest -= sets.count
        }
    }
}
