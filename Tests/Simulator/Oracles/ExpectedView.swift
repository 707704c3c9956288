package import AnabranchReplication

/// What an app must see of a state: rules that are computed and never written.
///
/// Of the rules there are these: a to-one shows its target only where that is there, a to-many
/// shows whoever shows that it belongs to it, and a link shows only between two that are there.
package struct ExpectedView: Equatable {
    private(set) var identifiers: Set<RecordID> = []
    /// Of each item the box that it shows.
    package private(set) var boxes: [RecordID: RecordID] = [:]
    private(set) var itemsOfBoxes: [RecordID: Set<RecordID>] = [:]
    private(set) var labels: [RecordID: Set<RecordID>] = [:]

    package init(of records: [RecordID: CanonicalRecord]) {
        identifiers = Set(records.keys)
        for (id, record) in records {
            for cell in record.cells where cell.property.name.string == "box" {
                guard case .reference(let box) = cell.value, records[box] != nil else { continue }
                boxes[id] = box
                itemsOfBoxes[box, default: []].insert(id)
            }
            for link in record.links {
                // Of the two names of the relationship the smaller one travels.
                let isItem = record.entity.string == "Item"
                let (item, label) = isItem ? (id, link.right) : (link.right, id)
                labels[item, default: []].insert(label)
            }
        }
    }

    package init(
        identifiers: Set<RecordID>, boxes: [RecordID: RecordID],
        itemsOfBoxes: [RecordID: Set<RecordID>], labels: [RecordID: Set<RecordID>]
    ) {
        self.identifiers = identifiers
        self.boxes = boxes
        self.itemsOfBoxes = itemsOfBoxes
        self.labels = labels
    }

    package func check(_ shown: ExpectedView, in place: String) throws {
        guard shown != self else { return }
        throw SimulationFailure("\(place) shows \(shown), not \(self)")
    }
}
