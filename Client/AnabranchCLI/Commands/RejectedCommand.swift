import Anabranch

/// Lists saves that the zone has rejected, saves them again, or discards them.
struct RejectedCommand: Command {
    static let specification = CommandSpecification(
        name: "rejected",
        summary: "Lists saves that the zone rejected; saves them again or discards them.",
        discussion: [
            "If the zone rejects a save permanently, the store undoes it and keeps it here with "
                + "the zone's reason. It also keeps the changes of later saves to the records "
                + "that the save had inserted. Other saves are not affected. The newest come "
                + "first.",
            "With --save-again the changes are saved as a new save. Inserted records get new IDs. "
                + "Changes to records that are deleted by now are left out and listed. The zone "
                + "may reject the save again.",
        ],
        arguments: [.store],
        options: [
            OptionSpecification("limit", "N", "The greatest number of saves."),
            OptionSpecification("save-again", "ID", "Saves it again and discards it here."),
            OptionSpecification("discard", "ID", "Discards one rejected save."),
            .flag("discard-all", "Discards all rejected saves."),
            .author, .json,
        ],
        examples: [
            .init("rejected geo.store", "Lists the rejected saves with reasons."),
            .init("rejected geo.store --save-again 3", "Saves one again."),
            .init("rejected geo.store --discard-all", "Discards all of them."),
        ])

    private enum Task {
        case list(limit: Int)
        case saveAgain(RejectedSave.ID)
        case discard(RejectedSave.ID?)
    }

    let path: String
    let arguments: ParsedArguments
    private let task: Task

    init(_ arguments: ParsedArguments) throws(UsageError) {
        self.arguments = arguments
        path = try arguments.word("STORE")
        task = try Self.task(arguments)
    }

    private static func task(_ arguments: ParsedArguments) throws(UsageError) -> Task {
        let given = ["limit", "save-again", "discard", "discard-all"].filter(arguments.isSet)
        guard given.count <= 1 else {
            throw arguments.error(
                "\(given.map { "--\($0)" }.joined(separator: " and ")) do not go together.")
        }
        if let id = try arguments.number("save-again", in: 1 ... .max) {
            return .saveAgain(Int64(id))
        }
        if let id = try arguments.number("discard", in: 1 ... .max) { return .discard(Int64(id)) }
        if arguments.isSet("discard-all") { return .discard(nil) }
        return .list(limit: try arguments.number("limit", in: 1 ... .max) ?? .max)
    }

    func run(_ console: Console) async throws {
        switch task {
        case .list(let limit): try list(limit: limit, console)
        case .saveAgain(let id): try saveAgain(id, console)
        case .discard(let id): try discard(id, console)
        }
    }
}

extension RejectedCommand {
    private func list(limit: Int, _ console: Console) throws {
        let container = try StoreFile.open(path, for: .reading)
        defer { container.coordinator.close() }
        let saves = try container.coordinator.rejectedSaves().prefix(limit)
        if arguments.isSet("json") {
            for save in saves { try console.print(RejectedSaveText(save).json) }
            return
        }
        guard !saves.isEmpty else { return try console.print("Nothing was rejected.") }
        var table = TextTable(RejectedSaveText.columns)
        for save in saves { table.append(RejectedSaveText(save).row) }
        try console.print(table)
    }

    private func saveAgain(_ id: RejectedSave.ID, _ console: Console) throws {
        try StoreFile.withContext(
            path, for: .writing, author: StoreFile.author(arguments), name: "save again \(id)"
        ) { context in
            let coordinator = context.coordinator
            guard let save = try coordinator.rejectedSave(id) else { throw noSave(id) }
            let redone = try context.reapply(save)
            try context.save()
            _ = try coordinator.discardRejectedSaves([id])
            if arguments.isSet("json") { return try console.print(try json(id, redone)) }
            try console.print(
                "Saved \(id) again, with \(Quantity.text(redone.insertedIDs.count, "new record")).")
            for omission in redone.omissions {
                try console.print(
                    "Left out: \(omission.entity) \(RecordText.short(omission.record))"
                        + (omission.property.map { ", \($0)" } ?? ""))
            }
        }
    }

    private func json(_ id: RejectedSave.ID, _ redone: ReappliedSave) throws -> String {
        let inserted = try redone.insertedIDs.sorted { $0.key < $1.key }.map {
            (old: RecordText.long($0.key), new: try RecordLabel($0.value).uri)
        }
        return JSONText.object { json in
            json.member("savedAgain", id)
            json.object("inserted") { json in
                for (old, new) in inserted { json.member(old, new) }
            }
            json.member("leftOut", redone.omissions.count)
        }
    }

    private func discard(_ id: RejectedSave.ID?, _ console: Console) throws {
        let container = try StoreFile.open(path, for: .writing)
        defer { container.coordinator.close() }
        let coordinator = container.coordinator
        let ids = try id.map { [$0] } ?? coordinator.rejectedSaves().map(\.id)
        let count = try coordinator.discardRejectedSaves(ids)
        if let id, count == 0 { throw noSave(id) }
        if arguments.isSet("json") {
            return try console.print(JSONText.object { $0.member("discarded", count) })
        }
        try console.print("Discarded \(Quantity.text(count, "save")).")
    }

    private func noSave(_ id: RejectedSave.ID) -> CommandFailure {
        CommandFailure(
            .failure,
            "There is no rejected save \(id) in \(path). 'anabranch rejected "
                + "\(ShellWord.quoted(path))' lists them.")
    }
}
