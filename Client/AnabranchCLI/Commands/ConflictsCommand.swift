import Anabranch

/// Lists the entries of the conflict journal, restores their values, or purges them.
struct ConflictsCommand: Command {
    static let specification = CommandSpecification(
        name: "conflicts", summary: "Lists, restores or purges writes that lost a merge.",
        discussion: [
            "If two replicas write one property concurrently, one value wins. The conflict "
                + "journal keeps the losing value, with its author and time. It also keeps writes "
                + "to a record that was deleted concurrently. The newest entries come first.",
            "Each store has its own journal: purging an entry here does not purge it in other "
                + "replicas. Restoring a value is an ordinary save, and the entry stays until it "
                + "is purged.",
            "Values that are still held, and that no record shows, are not in the journal yet. "
                + "--hidden lists these instead: the values of merged duplicates, references that "
                + "another one hides in a one-to-one relationship or where a cycle was cut, and "
                + "the other values of a property that keeps both. An edit or a deletion that "
                + "drops such a value puts it into the journal.",
        ],
        arguments: [
            .store,
            ArgumentSpecification("ENTITY", "Only entries of this entity.", isRequired: false),
        ],
        options: [
            OptionSpecification(
                "record", "RECORD",
                "Only entries of one record, which may be deleted. RECORD is an ID, or with "
                    + "ENTITY also attribute=value."),
            OptionSpecification("limit", "N", "The greatest number of entries."),
            .flag("hidden", "Lists values that are held and not shown, in place of the journal."),
            OptionSpecification("restore", "ID", "Saves the losing value of an entry again."),
            .flag(
                "as-new",
                "With --restore: inserts a new record with the discarded values of a deleted one."),
            OptionSpecification("purge", "ID", "Removes one entry."),
            OptionSpecification(
                "purge-older-than", "TIME", "Removes entries older than TIME, such as 12h or 30d."),
            OptionSpecification("purge-all-but", "N", "Removes all entries except the newest N."),
            .flag("purge-all", "Removes every entry, or with ENTITY or --record only those."),
            .author, .json,
        ],
        examples: [
            .init("conflicts geo.store", "Lists the whole journal."),
            .init(
                "conflicts geo.store Country --record alpha2=FR",
                "Lists the entries of one "
                    + "record."),
            .init("conflicts geo.store --hidden", "Lists what view rules hide."),
            .init("conflicts geo.store --restore 7", "Restores a value."),
            .init("conflicts geo.store --purge-older-than 30d", "Removes old entries."),
        ])

    private enum Task {
        case list(limit: Int)
        case listHidden(limit: Int)
        case restore(ConflictEntry.ID, asNew: Bool)
        case purge(Purge)
    }

    private enum Purge {
        case one(ConflictEntry.ID)
        case selected
        case by(ConflictSelection)
    }

    let path: String
    let entity: String?
    let record: RecordSelector?
    let arguments: ParsedArguments
    private let task: Task

    init(_ arguments: ParsedArguments) throws(UsageError) {
        self.arguments = arguments
        path = try arguments.word("STORE")
        entity = arguments.optionalWord("ENTITY")
        record = arguments.text("record").map {
            RecordSelector(text: $0, command: arguments.command)
        }
        task = try Self.task(arguments)
        if entity == nil, let record, record.isByAttribute {
            throw arguments.error(
                "--record \(record.text) needs ENTITY. Without ENTITY it takes an ID, such as "
                    + "1f2e3d4c/12.")
        }
        switch task {
        case .list, .listHidden, .purge(.selected): break
        case .restore, .purge:
            guard entity == nil, record == nil else {
                throw arguments.error(
                    "ENTITY and --record can only be used with a list and with "
                        + "--purge-all.")
            }
        }
    }

    private static func task(_ arguments: ParsedArguments) throws(UsageError) -> Task {
        let names = ["restore", "purge", "purge-older-than", "purge-all-but", "purge-all"]
        let given = names.filter(arguments.isSet)
        guard given.isEmpty || !arguments.isSet("hidden") else {
            throw arguments.error("--hidden and --\(given[0]) do not go together.")
        }
        guard given.count <= 1, given.isEmpty || !arguments.isSet("limit") else {
            let words = (arguments.isSet("limit") ? ["limit"] : []) + given
            throw arguments.error(
                "\(words.map { "--\($0)" }.joined(separator: " and ")) do not go together.")
        }
        guard !arguments.isSet("as-new") || given == ["restore"] else {
            throw arguments.error("--as-new can only be used with --restore ID.")
        }
        if let id = try arguments.number("restore", in: 1 ... .max) {
            return .restore(Int64(id), asNew: arguments.isSet("as-new"))
        }
        if let id = try arguments.number("purge", in: 1 ... .max) { return .purge(.one(Int64(id))) }
        if let count = try arguments.number("purge-all-but", in: 0 ... .max) {
            return .purge(.by(.allButNewest(count)))
        }
        if let text = arguments.text("purge-older-than") {
            guard let age = DurationText.read(text) else {
                throw arguments.error(
                    "--purge-older-than takes \(DurationText.form), not '\(text)'.")
            }
            return .purge(.by(.olderThan(age)))
        }
        if arguments.isSet("purge-all") { return .purge(.selected) }
        let limit = try arguments.number("limit", in: 1 ... .max) ?? .max
        return arguments.isSet("hidden") ? .listHidden(limit: limit) : .list(limit: limit)
    }

    func run(_ console: Console) async throws {
        switch task {
        case .list(let limit): try list(limit: limit, console)
        case .listHidden(let limit): try listHidden(limit: limit, console)
        case .restore(let id, let asNew): try restore(id, asNew: asNew, console)
        case .purge(let purge): try self.purge(purge, console)
        }
    }
}

extension ConflictsCommand {
    private func list(limit: Int, _ console: Console) throws {
        let container = try StoreFile.open(path, for: .reading)
        defer { container.coordinator.close() }
        let coordinator = container.coordinator
        let conflicts =
            try selection(in: container).map { try coordinator.conflicts($0, limit: limit) } ?? []
        if arguments.isSet("json") {
            for conflict in conflicts { try console.print(ConflictText(conflict).json) }
            return
        }
        if conflicts.isEmpty {
            try console.print("The journal is empty.")
        } else {
            var table = TextTable(ConflictText.columns)
            for conflict in conflicts { table.append(ConflictText(conflict).row) }
            try console.print(table)
        }
        let hasHidden = try container.newBackgroundContext().performAndWait { context in
            try !context.hiddenWrites(limit: 1).isEmpty
        }
        guard hasHidden else { return }
        console.writeNote(
            "Some values are held and not shown: 'anabranch conflicts "
                + "\(ShellWord.quoted(path)) --hidden' lists them.")
    }

    private func listHidden(limit: Int, _ console: Console) throws {
        let container = try StoreFile.open(path, for: .reading)
        defer { container.coordinator.close() }
        let entity = try entity.map {
            try EntityNames.entity($0, in: container.model, command: arguments.command)
        }
        let hidden = try container.newBackgroundContext().performAndWait { context in
            guard record != nil else {
                return try context.hiddenWrites(of: entity?.name, limit: limit)
            }
            guard let id = try recordID(entity, in: context) else { return [] }
            let ofRecord = try context.hiddenWrites(of: entity?.name).filter {
                try $0.held.record == id || $0.objectID.recordID == id
            }
            return Array(ofRecord.prefix(limit))
        }
        if arguments.isSet("json") {
            for write in hidden { try console.print(try HiddenWriteText(write).json()) }
            return
        }
        guard !hidden.isEmpty else {
            return try console.print("Every value that is held is shown.")
        }
        var table = TextTable(HiddenWriteText.columns)
        for write in hidden { table.append(HiddenWriteText(write).row) }
        try console.print(table)
    }

    /// The record of --record; `nil` if there is none, or if the store does not know it.
    private func recordID(
        _ entity: EntityDescription?, in context: ManagedObjectContext
    ) throws -> RecordID? {
        guard let record else { return nil }
        if record.isByAttribute, let entity {
            return try record.object(of: entity, in: context).objectID.recordID
        }
        return try record.recordID(in: context.coordinator)
    }

    /// The selection of ENTITY and --record; `nil` if the store does not know the record.
    private func selection(in container: PersistentContainer) throws -> ConflictSelection? {
        let entity = try entity.map {
            try EntityNames.entity($0, in: container.model, command: arguments.command)
        }
        guard record != nil else { return entity.map { .of($0) } ?? .all }
        let id = try container.newBackgroundContext().performAndWait { context in
            try recordID(entity, in: context)
        }
        // An attribute selects an object that exists, and the entity of that needs no check.
        if record?.isByAttribute == true { return id.map { .record($0) } }
        return id.map { id in entity.map { .of($0).intersection(.record(id)) } ?? .record(id) }
    }

    private func restore(_ id: ConflictEntry.ID, asNew: Bool, _ console: Console) throws {
        try StoreFile.withContext(
            path, for: .writing, author: StoreFile.author(arguments), name: "restore conflict \(id)"
        ) { context in
            guard let conflict = try context.coordinator.conflict(id) else { throw noConflict(id) }
            let object =
                asNew ? try insertDiscarded(with: conflict, context) : try context.restore(conflict)
            try context.save()
            let label = try RecordLabel(object.objectID)
            if arguments.isSet("json") {
                return try console.print(
                    JSONText.object { json in
                        json.member("restored", id)
                        json.member("@id", label.uri)
                        json.member("@entity", object.entity.name)
                    })
            }
            let name = "\(object.entity.name) \(label.short)"
            let lost = RecordText.short(conflict.record)
            try console.print(
                asNew
                    ? "Inserted \(name) with the discarded values of \(lost)."
                    : "Restored \(conflict.property.name.string) of \(name).")
        }
    }

    private func insertDiscarded(
        with conflict: ConflictEntry, _ context: ManagedObjectContext
    ) throws -> ManagedObject {
        let lost = try context.discardedValues(of: conflict)
        guard !lost.isEmpty else {
            throw CommandFailure(
                .failure,
                "Nothing was lost with \(conflict.entity) \(RecordText.short(conflict.record)), "
                    + "which was not deleted. Leave out --as-new.")
        }
        return try context.insert(lost)
    }

    private func purge(_ purge: Purge, _ console: Console) throws {
        let container = try StoreFile.open(path, for: .writing)
        defer { container.coordinator.close() }
        let coordinator = container.coordinator
        let count: Int
        switch purge {
        case .one(let id):
            count = try coordinator.purgeConflicts(.number(id))
            if count == 0 { throw noConflict(id) }
        case .by(let selection): count = try coordinator.purgeConflicts(selection)
        case .selected:
            count = try selection(in: container).map(coordinator.purgeConflicts) ?? 0
        }
        if arguments.isSet("json") {
            return try console.print(JSONText.object { $0.member("purged", count) })
        }
        try console.print("Purged \(count == 1 ? "1 entry" : "\(count) entries").")
    }

    private func noConflict(_ id: ConflictEntry.ID) -> CommandFailure {
        CommandFailure(
            .failure,
            "There is no conflict \(id) in the journal of \(path). 'anabranch conflicts "
                + "\(ShellWord.quoted(path))' lists them.")
    }
}
