import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import TestSupport

/// The content of one store, read in one transaction.
struct SimulatedContent {
    private(set) var boxes: [RowSnapshot] = []
    private(set) var items: [RowSnapshot] = []
    private(set) var labels: [RowSnapshot] = []
    private(set) var halves: [RowSnapshot] = []
    /// The notes; empty if the model has none.
    private(set) var notes: [RowSnapshot] = []
    private(set) var links: [(item: LocalID, label: LocalID)] = []
    private(set) var itemsOfBoxes: [(box: LocalID, item: LocalID)] = []

    init(of store: Store, _ names: SimulationModel) throws {
        self = try store.read { reader in
            var content = SimulatedContent()
            content.boxes = try Self.rows(names.box, reader)
            content.items = try Self.rows(names.item, reader)
            content.labels = try Self.rows(names.label, reader)
            content.halves = try Self.rows(names.half, reader)
            content.notes = try names.mergeRules.map { try Self.rows($0.note, reader) } ?? []
            content.links = try reader.related(
                by: names.labels, of: content.items.map(\.id)
            ).map { ($0.owner, $0.id) }
            content.itemsOfBoxes = try reader.related(
                by: names.items, of: content.boxes.map(\.id)
            ).map { ($0.owner, $0.id) }
            return content
        }
    }

    private init() {}

    static func rows(
        _ entity: EntityDescription, _ reader: StoreReader
    ) throws -> [RowSnapshot] {
        let table = reader.schema.layout(of: entity).table.name
        let ids = try reader.connection.rows("SELECT ab_pk FROM \(table) ORDER BY ab_pk")
            .compactMap { row -> LocalID? in
                guard case .integer(let id)? = row.first else { return nil }
                return id
            }
        var rows: [RowSnapshot] = []
        try reader.rows(of: entity, ids: ids) { rows.append(RowSnapshot($0)) }
        return rows
    }

    /// Returns the pairs, each with both halves.
    ///
    /// - Throws: ``SimulationFailure`` if half a save is visible.
    func pairs(_ names: SimulationModel) throws -> [(RowSnapshot, RowSnapshot)] {
        let pair = names.half.slot("pair")
        let token = names.half.slot("token")
        var found: [PropertyValue: [RowSnapshot]] = [:]
        for half in halves { found[half.slots[pair], default: []].append(half) }
        return try found.values.map { halves in
            guard halves.count == 2, halves[0].slots[token] == halves[1].slots[token] else {
                throw SimulationFailure("half a save is visible: \(halves.map(\.slots))")
            }
            return (halves[0], halves[1])
        }.sorted { $0.0.id < $1.0.id }
    }
}
