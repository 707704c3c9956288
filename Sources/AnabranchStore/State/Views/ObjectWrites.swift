import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// The writes that are held for one object: by its own record, or by the members of the duplicate
/// set that it shows.
struct ObjectWrites {
    /// A write and the record that holds it.
    struct Held {
        let record: RecordID
        let entity: WireName
        let cell: CanonicalRecord.Cell
    }

    /// A write that the object does not show, and the rule that hides it.
    typealias Hidden = (held: Held, rule: HidingRule)

    let layout: EntityLayout
    /// True if the object shows several records.
    let isDuplicateSet: Bool
    private let schema: StoreSchema
    /// The records, in ascending order of identity.
    fileprivate let records: [CanonicalRecord]
    /// The stamps of the writes that the row of a duplicate set shows, by property number.
    private let shownStamps: [Int: Stamp]
    /// The rules that hide references, by property number.
    private let rules: [Int: HidingRule]
    /// The visible records of the members of other duplicate sets.
    private let visible: (RecordID) throws -> RecordID

    fileprivate init(
        _ records: [CanonicalRecord], of layout: EntityLayout, in schema: StoreSchema,
        shownStamps: [Int: Stamp]?, rules: [Int: HidingRule],
        visible: @escaping (RecordID) throws -> RecordID
    ) {
        self.records = records
        self.layout = layout
        self.schema = schema
        isDuplicateSet = shownStamps != nil
        self.shownStamps = shownStamps ?? [:]
        self.rules = rules
        self.visible = visible
    }

    /// The writes of a property and of its former ones, the latest first. Values of former
    /// properties are converted.
    func all(of property: WireProperty) -> [Held] {
        records.flatMap { record in
            record.cells.compactMap { cell -> Held? in
                let shown = schema.shown(
                    cell.value, in: cell.property, of: record.id, record.entity)
                guard shown.property == property else { return nil }
                return Held(
                    record: record.id, entity: record.entity,
                    cell: CanonicalRecord.Cell(
                        property: property, value: shown.value, stamp: cell.stamp))
            }
        }.sorted { $1.cell.stamp < $0.cell.stamp }
    }

    /// The writes between which the view rules choose, in ascending order of records. Each record
    /// has one, or under `keepBoth` those that no write has replaced.
    func contenders(for property: TableLayout.Property) -> [Held] {
        if property.rule == .keepBoth, !isDuplicateSet { return all(of: property.wire) }
        return records.filter { record in
            schema.model.entity(wireName: record.entity)?.isKind(of: property.entity) ?? true
        }.flatMap { record in
            record.cells(showing: property).map {
                Held(record: record.id, entity: record.entity, cell: $0)
            }
        }
    }

    /// The write of the value that the object shows, unless a rule hides the reference.
    func shown(of property: TableLayout.Property) -> Held? {
        let contenders = contenders(for: property)
        guard isDuplicateSet else { return contenders.max { $0.cell.stamp < $1.cell.stamp } }
        return contenders.first { $0.cell.stamp == shownStamps[property.number] }
    }

    /// The value that the object shows of a property: null if it was never written, or if a rule
    /// hides the reference.
    func shownValue(of property: TableLayout.Property) -> PropertyValue {
        guard rules[property.number] == nil else { return .null }
        return shown(of: property)?.cell.value ?? .null
    }

    /// The writes of a property that the object does not show although no author has replaced them,
    /// the latest first. Null, and a value that equals the shown one, hide nothing. A counter shows
    /// the sum of all, and under `max` and `min` the other values are meant to give way.
    func hidden(of property: TableLayout.Property) throws -> [Hidden] {
        guard property.rule.loses, property.rule != .counter else { return [] }
        let mayChoose = isDuplicateSet || property.rule == .keepBoth
        guard mayChoose || rules[property.number] != nil else { return [] }
        let shown = shown(of: property)
        var found: [Hidden] = []
        for held in contenders(for: property) where !held.cell.value.isEmpty {
            if let shown, held.record == shown.record, held.cell.stamp == shown.cell.stamp {
                if let rule = rules[property.number] { found.append((held, rule)) }
            } else if mayChoose, try shown.map({ try !isSame($0.cell, held.cell) }) ?? true {
                found.append((held, held.record == shown?.record ? .keepBoth : .uniqueKey))
            }
        }
        return found.sorted { $1.held.cell.stamp < $0.held.cell.stamp }
    }

    /// True if the object does not show everything that is held for it.
    var hidesSomething: Bool {
        get throws { try layout.properties.contains { try !hidden(of: $0).isEmpty } }
    }

    /// True if two cells show the same: equal values, or references to records that show as one.
    private func isSame(
        _ first: CanonicalRecord.Cell, _ second: CanonicalRecord.Cell
    ) throws -> Bool {
        guard first.value != second.value else { return true }
        guard let one = ListEntry.target(of: first.value),
            let other = ListEntry.target(of: second.value)
        else { return false }
        return try visible(one) == visible(other)
    }
}

/// Reads the writes that are held for objects, with statements that stay prepared.
struct ObjectWritesReader {
    private let reader: StoreReader
    private let replicas: ReplicaTable
    private let rows: CanonicalRows
    private let duplicates: MergedDuplicateRows
    private let hidden: HiddenReferences
    private let logStamps: LogStamps
    private let logged: LoggedStamps

    private var schema: StoreSchema { reader.schema }

    init(_ reader: StoreReader, replicas: ReplicaTable, logStamps: LogStamps? = nil) throws {
        self.reader = reader
        self.replicas = replicas
        self.logStamps = logStamps ?? LogStamps(reader.connection)
        rows = try CanonicalRows(reader, replicas: replicas, logStamps: self.logStamps)
        duplicates = MergedDuplicateRows(
            reader.connection, isUsed: !reader.schema.constraints.isEmpty)
        hidden = HiddenReferences(reader.connection)
        logged = LoggedStamps(connection: reader.connection)
    }

    /// The writes that are held for an object.
    ///
    /// - Parameters:
    ///   - id: The visible record.
    ///   - entity: The record's entity.
    func writes(of id: LocalID, _ entity: EntityDescription) throws -> ObjectWrites {
        let layout = schema.layout(of: entity)
        let members = try duplicates.isEmpty ? [] : duplicates.members(of: id)
        // The state of a member is among the deferred rows, also that of the visible one.
        let records =
            try members.isEmpty
            ? [rows.record(id, in: layout.table)]
            : members.map { try rows.record($0, table: schema.tables.count) }
        return ObjectWrites(
            records.compactMap(\.self).sorted { $0.id < $1.id }, of: layout, in: schema,
            shownStamps: members.isEmpty ? nil : try stamps(of: id, layout),
            rules: try rules(of: id, layout), visible: visible)
    }

    private func visible(_ record: RecordID) throws -> RecordID {
        guard let id = replicas.localID(of: record), let shown = try duplicates.visible(of: id)
        else { return record }
        return replicas.record(shown) ?? record
    }

    private func stamps(of id: LocalID, _ layout: EntityLayout) throws -> [Int: Stamp] {
        let statement = try reader.connection.cached(layout.versionSQL, id)
        guard try statement.step() else { return [:] }
        let writes = try statement.writes(at: 1, layout.table.added)
        var stamps: [Int: Stamp] = [:]
        for property in layout.properties {
            guard let position = writes[property.number] else { continue }
            stamps[property.number] = replicas.stamps([try logStamps[position]]).first
        }
        return stamps
    }

    private func rules(of id: LocalID, _ layout: EntityLayout) throws -> [Int: HidingRule] {
        guard !hidden.isEmpty else { return [:] }
        var rules: [Int: HidingRule] = [:]
        for viewColumn in layout.viewRuleColumns {
            rules[viewColumn.column.number] =
                try hidden.entry(of: id, viewColumn)?.rule.asHidingRule
        }
        return rules
    }

    /// A write with the name of its author.
    func write(_ held: ObjectWrites.Held) throws -> HeldWrite {
        let stamp = held.cell.stamp
        let author = try replicas.ordinal(of: stamp.replica).flatMap { ordinal in
            try logged.write(of: LocalStamp(timestamp: stamp.timestamp.rawValue, ordinal: ordinal))
        }?.author
        return HeldWrite(
            record: held.record, value: held.cell.value,
            write: ConflictEntry.Write(stamp: stamp, author: author ?? ""))
    }

    /// Every write that an object does not show, by property in the order of the model.
    func hiddenWrites(of id: LocalID, _ entity: EntityDescription) throws -> [HiddenWriteRow] {
        let writes = try writes(of: id, entity)
        return try writes.layout.properties.flatMap { property in
            try writes.hidden(of: property).map { held, rule in
                HiddenWriteRow(
                    id: id, entity: entity, key: property.key, held: try write(held), rule: rule,
                    shownValue: writes.shownValue(of: property))
            }
        }
    }
}

extension TableLayout.Property {
    /// The name of the attribute, of the attribute group or of the relationship.
    fileprivate var key: String { group?.name ?? column.property.name }
}
