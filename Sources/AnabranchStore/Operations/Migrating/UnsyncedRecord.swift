import AnabranchModel
import AnabranchReplication

/// A record that is kept in one store only, as another version of the model has it.
///
/// No replica of another version ever writes it. So what the version lacks is left out, and what
/// was another property becomes a write of the present one, and null in an attribute that became
/// mandatory a write of its default.
struct UnsyncedRecord {
    private(set) var record: CanonicalRecord
    /// Links of which the record is the right end.
    private(set) var inverseLinks: [(link: SnapshotChunk.Link, property: WireProperty)] = []

    /// - Returns: `nil` if the model lacks the record's entity.
    init?(_ former: CanonicalRecord, in model: ManagedObjectModel) {
        guard let entity = model.entity(wireName: former.entity), !entity.isAbstract,
            !entity.isSynced
        else { return nil }
        record = former
        record.cells = Self.cells(of: former, entity)
        let stored = entity.relationships.filter { !$0.isTransient }
        record.links = former.links.filter { link in
            stored.contains { $0.wireProperty == link.property }
        }
        for relationship in stored {
            for (other, tags) in Self.formerLinks(of: former, shownBy: relationship) {
                add(relationship, other, tags)
            }
        }
    }

    private static func cells(
        of former: CanonicalRecord, _ entity: EntityDescription
    ) -> [CanonicalRecord.Cell] {
        let groups = entity.attributeGroups.map(\.wireProperty)
        let values = entity.slots.filter { $0.isStoredInColumn && $0.attribute?.group == nil }
        return former.cells.filter { groups.contains($0.property) }
            + values.flatMap { property in
                let wire = property.wireProperty
                let cells =
                    former.cells.former(of: wire, in: former.id).map { [$0] }
                    ?? former.cells.filter { $0.property == wire }
                return cells.map { cell in
                    var cell = cell
                    if let attribute = property.attribute {
                        cell.value = attribute.shown(cell.value)
                    }
                    return cell
                }
            }
    }

    private static func formerLinks(
        of record: CanonicalRecord, shownBy relationship: RelationshipDescription
    ) -> [(other: RecordID, tags: [Stamp])] {
        let (wire, name) = (relationship.wireProperty, relationship.declaredWireName)
        let references = record.cells.filter { wire.showsLinks(of: $0.property, named: name) }
            .compactMap { cell in
                ListEntry.target(of: cell.value).map { ($0, [cell.stamp]) }
            }
        return references
            + record.links.filter { wire.showsLinks(of: $0.property, named: name) }
            .map { ($0.right, Array($0.tags.tags)) }
    }

    private mutating func add(
        _ relationship: RelationshipDescription, _ other: RecordID, _ stamps: [Stamp]
    ) {
        let isRight =
            relationship.storage == .links(.right)
            || relationship.storage == .links(.both) && other < record.id
        let (left, right) = isRight ? (other, record.id) : (record.id, other)
        let stored = relationship.storedSide
        let place = LinkPosition(
            inLeft: stored.isOrdered ? .unplaced(right) : nil,
            inRight: stored.inverse?.isOrdered == true ? .unplaced(left) : nil)
        var tags = LinkTags()
        for stamp in stamps { _ = tags.add(stamp, at: place) }
        if isRight {
            inverseLinks.append(
                (.init(left: left, right: right, tags: tags), relationship.wireProperty))
        } else {
            record.links.append(
                .init(property: relationship.wireProperty, right: right, tags: tags))
        }
    }
}
