import Anabranch

/// Shows one change set with everything in it.
struct ShowCommand: Command {
    static let specification = CommandSpecification(
        name: "show", summary: "Shows one change set with all its changes.",
        arguments: [
            .store,
            ArgumentSpecification(
                "SET",
                "The change set as 'anabranch log' shows it: 1f2e3d4c:5, or its position "
                    + "in the log."),
        ],
        options: [.json], examples: [.init("show geo.store 1f2e3d4c:5", "Shows one change set.")])

    let path: String
    let set: String
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("STORE")
        set = try arguments.word("SET")
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        let container = try StoreFile.open(path, for: .reading)
        defer { container.coordinator.close() }
        guard let found = try find(in: container.coordinator) else {
            throw CommandFailure(.failure, "The store's log has no change set \(set).")
        }
        let text = ChangeSetText(found)
        guard !isJSON else { return try console.print(text.json(withBlocks: true)) }
        try writeHead(found, text, console)
        guard found.changeSet.kind == .saveInParts else {
            for block in text.blocks { try write(block, console) }
            return
        }
        try container.coordinator.forEachBlock(of: found) { try write($0, console) }
    }

    private func find(in coordinator: PersistentStoreCoordinator) throws -> LoggedChangeSet? {
        if let position = Int64(set), position > 0 {
            return try coordinator.changeSets(
                after: HistoryPosition(rawValue: position - 1), limit: 1
            ).first { $0.position.rawValue == position }
        }
        let parts = set.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let sequence = UInt64(parts[1]), sequence > 0, parts[0].count >= 4
        else {
            throw UsageError(
                "'\(set)' is not the name of a change set. 'anabranch log "
                    + "\(ShellWord.quoted(path))' shows the names.",
                command: "show")
        }
        let prefix = parts[0].lowercased()
        let replicas = try coordinator.versionVector().heads.map(\.replica).filter {
            $0.description.hasPrefix(prefix)
        }
        guard replicas.count < 2 else {
            throw CommandFailure(
                .failure, "The IDs of several replicas begin with \(prefix). Type more digits.")
        }
        return try replicas.first.flatMap {
            try coordinator.changeSet(Dot(replica: $0, sequence: sequence))
        }
    }

    private func writeHead(
        _ set: LoggedChangeSet, _ text: ChangeSetText, _ console: Console
    ) throws {
        let changeSet = set.changeSet
        let lines = [
            ("Set", changeSet.dot.description), ("Saved", text.time),
            ("Author", changeSet.author), ("Purpose", changeSet.name),
            ("Knowing", text.vector),
            ("Zone", set.zonePosition.map { "position \($0)" } ?? "not known to have it"),
            ("Origin", changeSet.origin.description),
            ("Size", Quantity.bytes(changeSet.savedBytes)),
        ]
        for (name, value) in lines where !value.isEmpty {
            try console.print(TerminalText.printable(value), titled: name, width: 10)
        }
    }

    private func write(_ block: ChangeBlock, _ console: Console) throws {
        try console.print()
        switch block {
        case .insert(let rows): try write(rows, "Inserted", console)
        case .update(let rows): try write(rows, "Updated", console)
        case .add(let rows): try write(rows, "Added to", console)
        case .write(let block):
            let rows = RowBlock(
                entity: block.entity, records: block.writes.map(\.record),
                properties: [block.property], columns: [ValueColumn(block.writes.map(\.value))])
            try write(rows, "Wrote", console)
        case .delete(let block): try writeDeleted(block.records, of: block.entity, console)
        case .yieldingDelete(let block):
            try writeDeleted(block.deletes.map(\.record), of: block.entity, console)
        case .link(let links): try write(links, "Linked by", console)
        case .unlink(let links): try write(links, "Unlinked by", console)
        case .move(let links): try write(links, "Moved in", console)
        case .unknown(let operation, let bytes):
            try console.print("Operation \(operation) of a later version, \(bytes.count) bytes.")
        }
    }

    private func write(_ rows: RowBlock, _ verb: String, _ console: Console) throws {
        try console.print(
            "\(verb) \(Quantity.text(rows.records.count, "record")) of \(rows.entity):")
        var table = TextTable(
            [TextTable.Column("RECORD")] + rows.properties.map { .init($0.name.string) })
        for (row, record) in rows.records.enumerated() {
            table.append([RecordText.short(record)] + rows.columns.map { ValueText.text($0[row]) })
        }
        try console.print(table)
    }

    private func writeDeleted(
        _ records: [RecordID], of entity: WireName, _ console: Console
    ) throws {
        try console.print(
            "Deleted \(Quantity.text(records.count, "record")) of \(entity): "
                + records.map(RecordText.short).joined(separator: " "))
    }

    private func write(_ links: LinkBlock, _ verb: String, _ console: Console) throws {
        try console.print("\(verb) \(links.entity).\(links.property.name):")
        for link in links.links {
            try console.print("\(RecordText.short(link.left)) → \(RecordText.short(link.right))")
        }
    }
}
