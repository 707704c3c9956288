import Anabranch

/// Lists saves that the zone has rejected, makes them again, or forgets them.
struct RejectedCommand: Command {
    static let specification = CommandSpecification(
        name: "rejected",
        summary: "Lists what the zone has rejected; saves it again or forgets it.",
        discussion: [
            "What a zone will never take is undone in the store, and kept here with the zone's "
                + "reason: the save itself, and what later saves did to the records that it had "
                + "inserted. Other saves go on. The newest come first.",
            "Saved again it is an ordinary new save: what was inserted gets new IDs, and what is "
                + "about records that are deleted by now is left out and named. The zone may "
                + "reject it again.",
        ],
        arguments: [.store],
        options: [
            OptionSpecification("limit", "N", "At most so many."),
            OptionSpecification(
                "save-again", "ID", "Makes the save once more, and forgets it here."),
            OptionSpecification("discard", "ID", "Forgets one."),
            .flag("discard-all", "Forgets every one."),
            .author, .json,
        ],
        examples: [
            .init("rejected geo.store", "What was rejected, and why."),
            .init("rejected geo.store --save-again 3", "Tries once more."),
            .init("rejected geo.store --discard-all", "Forgets all."),
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
            let redone = try context.redo(save)
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

    private func json(_ id: RejectedSave.ID, _ redone: RedoneSave) throws -> String {
        let inserted = try redone.insertedIDs.sorted { $0.key < $1.key }.map {
            (old: RecordText.long($0.key), new: try RecordLabel($0.value).uri)
        }
        return JSONText.object { json in
            json.member("savedAgain", id)
            json.key("inserted")
            json.object { json in
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
            "There is no rejected save \(id) in \(path). 'anabranch rejected \(path)' lists them.")
    }
}
