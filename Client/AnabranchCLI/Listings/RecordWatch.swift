import Anabranch

/// The records of an entity that match a condition, and what saves do to them.
struct RecordWatch {
    /// The effect of a save on one record.
    enum Event: String {
        /// The record was inserted, or now matches.
        case appears
        case changes
        /// The record was deleted, or no longer matches.
        case disappears

        var sign: String {
            switch self {
            case .appears: "+"
            case .changes: "~"
            case .disappears: "-"
            }
        }
    }

    private let entity: EntityDescription
    private let columns: [RecordColumn]
    private let query: RecordQuery
    private let container: PersistentContainer
    /// The last save that ``matching`` takes into account.
    let start: HistoryPosition
    private var matching: Set<ManagedObjectID>

    /// Finds the records that match now. What later saves do to them is to be given to
    /// ``write(_:isJSON:to:)``, from the first after ``start``.
    init(entity name: String, _ query: RecordQuery, in container: PersistentContainer) throws {
        let entity = try EntityNames.entity(
            name, in: container.coordinator.model, command: query.command)
        self.entity = entity
        self.query = query
        self.container = container
        columns = try query.columns(of: entity)
        (start, matching) = try container.newBackgroundContext().performAndWait { context in
            // Both are read from one state, so that a save meanwhile is in neither.
            try context.setQueryGeneration(from: .current)
            return (
                try context.currentHistoryPosition(),
                Set(try context.objectIDs(for: query.request(of: entity)))
            )
        }
    }

    /// Prints what a save has done to the records.
    ///
    /// - Returns: True if it has concerned any of them.
    mutating func write(
        _ transaction: HistoryTransaction, isJSON: Bool, to console: Console
    ) throws -> Bool {
        let ids = transaction.changes.map(\.objectID).filter { $0.entity.isKind(of: entity) }
        let touched = Set(ids)
        guard !touched.isEmpty else { return false }
        let shown = matching
        let (now, lines) = try container.newBackgroundContext().performAndWait {
            [entity, query, columns] context in
            var request = try query.request(of: entity)
            let among = try FetchPredicate("SELF IN %@", ids)
            request.predicate = request.predicate?.and(among) ?? among
            let objects = try context.fetch(request)
            let lines = try objects.map { object in
                let event: Event = shown.contains(object.objectID) ? .changes : .appears
                return try Self.line(event, object, columns, isJSON, console)
            }
            return (Set(objects.map(\.objectID)), lines)
        }
        let gone = touched.subtracting(now).intersection(matching)
        let time = TimeText.precise(wallMilliseconds: transaction.timestamp.wallMilliseconds)
        for line in try lines + gone.map({ try Self.line(gone: $0, isJSON, console) }) {
            try console.print(isJSON ? line : "\(console.dim(time))  \(line)")
        }
        matching.subtract(gone)
        matching.formUnion(now)
        return !lines.isEmpty || !gone.isEmpty
    }

    private static func line(
        _ event: Event, _ object: ManagedObject, _ columns: [RecordColumn], _ isJSON: Bool,
        _ console: Console
    ) throws -> String {
        let label = try RecordLabel(object.objectID)
        guard !isJSON else {
            let contents = NestedColumns(try columns.map { ($0, try $0.content(of: object)) })
            return JSONText.object { json in
                json.member("event", event.rawValue)
                json.member("@id", label.uri)
                json.member("@entity", object.entity.name)
                contents.write(to: &json)
            }
        }
        let values = try columns.map { column in
            "\(column.name)=\(TerminalText.printable(try column.content(of: object).text))"
        }
        return "\(event.sign) \(console.bold("\(object.entity.name) \(label.short)"))  "
            + values.joined(separator: "  ")
    }

    private static func line(
        gone id: ManagedObjectID, _ isJSON: Bool, _ console: Console
    ) throws -> String {
        let label = try RecordLabel(id)
        guard !isJSON else {
            return JSONText.object { json in
                json.member("event", Event.disappears.rawValue)
                json.member("@id", label.uri)
                json.member("@entity", id.entity.name)
            }
        }
        return "\(Event.disappears.sign) \(console.bold("\(id.entity.name) \(label.short)"))"
    }
}
