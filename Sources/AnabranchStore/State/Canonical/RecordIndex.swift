import AnabranchReplication

/// The cells and links of one record by their names, for code that looks for many of them.
struct RecordIndex {
    private struct Write: Hashable {
        let property: WireProperty
        let stamp: Stamp
    }

    private struct End: Hashable {
        let property: WireProperty
        let right: RecordID
    }

    let record: CanonicalRecord
    private let writes: Set<Write>
    private let cells: [WireName: [CanonicalRecord.Cell]]
    private let latest: [WireProperty: CanonicalRecord.Cell]
    private let links: [End: LinkTags]

    init(_ record: CanonicalRecord) {
        self.record = record
        writes = Set(record.cells.map { Write(property: $0.property, stamp: $0.stamp) })
        cells = Dictionary(grouping: record.cells, by: \.property.name)
        latest = Dictionary(
            record.cells.map { ($0.property, $0) },
            uniquingKeysWith: { $0.stamp < $1.stamp ? $1 : $0 })
        links = Dictionary(
            record.links.map { (End(property: $0.property, right: $0.right), $0.tags) },
            uniquingKeysWith: { first, _ in first })
    }

    /// True if the record holds a value that a save has written.
    func holds(_ property: WireProperty, writtenBy stamp: Stamp) -> Bool {
        writes.contains(Write(property: property, stamp: stamp))
    }

    /// The latest value of a property; only under `keepBoth` there are several.
    func latest(of property: WireProperty) -> CanonicalRecord.Cell? { latest[property] }

    /// The cells of a property and of its former ones.
    func cells(named name: WireName) -> [CanonicalRecord.Cell] { cells[name] ?? [] }

    /// The tags of a link; none if there is no such link.
    func tags(of property: WireProperty, to right: RecordID) -> LinkTags {
        links[End(property: property, right: right)] ?? LinkTags()
    }
}
