import AnabranchModel
import AnabranchReplication

/// A comparison of what a store shows with what it showed under an earlier version of its model.
///
/// Entities and properties correspond by their wire names. Three differences are as documented:
///
/// - A relationship with a narrower destination loses the members that are no longer of its kind.
/// - A relationship that is stored in another form than before keeps its members, but not their
///   order.
/// - An attribute that is part of a unique key shows null, not its default, until it is written,
///   unless it is mandatory and never a key alone.
struct ShownComparison {
    private let old: ShownRecords
    private let new: ShownRecords
    /// The results of `formerProperties(of:in:)` by the entity of the new version.
    private var known: [EntityDescription: [PropertyDescription: PropertyDescription]] = [:]
    /// The records, values and members that differ, each in a few words.
    private(set) var differences: [String] = []
    /// The relationships of the old version that lost members because of a narrower destination.
    private(set) var narrowed: Set<String> = []

    init(from old: ShownRecords, to new: ShownRecords) {
        self.old = old
        self.new = new
        for (id, row) in old.rows { compare(id, row) }
        for (id, row) in new.rows where old.rows[id] == nil {
            differences.append("\(row.entity) \(id) was not shown")
        }
    }

    private mutating func compare(_ id: RecordID, _ row: ShownRecords.Row) {
        guard let present = new.rows[id] else {
            if new.model.entity(wireName: row.entity.wireName) != nil {
                differences.append("\(row.entity) \(id) is missing")
            }
            return
        }
        guard present.entity.wireName == row.entity.wireName else {
            differences.append("\(row.entity) \(id) became one of \(present.entity)")
            return
        }
        let former = formerProperties(of: present.entity, in: row.entity)
        for property in present.entity.slots {
            switch (property, former[property]) {
            case (.attribute(let attribute), let old) where attribute.isStored:
                let value = old.map { Self.shown(row.slots[$0.slot], of: $0, by: attribute) }
                expect(
                    value ?? Self.unwritten(attribute), present.slots[attribute.slot], property, id)
            case (.relationship(let relationship), .relationship(let old)?):
                compare(relationship, of: present, with: old, of: row, id)
            default: break
            }
        }
    }

    private mutating func expect(
        _ expected: PropertyValue, _ value: PropertyValue, _ property: PropertyDescription,
        _ id: RecordID
    ) {
        guard value != expected else { return }
        differences.append("\(property) of \(id) is \(value) instead of \(expected)")
    }

    private mutating func compare(
        _ relationship: RelationshipDescription, of present: ShownRecords.Row,
        with former: RelationshipDescription, of row: ShownRecords.Row, _ id: RecordID
    ) {
        let visible = row.members(of: former).filter { new.rows[$0] != nil }
        let expected = visible.filter {
            new.rows[$0]?.entity.isKind(of: relationship.destination) == true
        }
        if expected.count < visible.count { narrowed.insert("\(former)") }
        let members = present.members(of: relationship)
        let keepsOrder =
            relationship.isOrdered && relationship.wireProperty == former.wireProperty
        let isSame =
            keepsOrder ? members == expected : members.sorted() == expected.sorted()
        guard !isSame else { return }
        differences.append("\(relationship) of \(id) has \(members) instead of \(expected)")
    }

    // MARK: - Correspondence

    /// The property of the old version for each one that both versions have. An attribute that was
    /// not stored is left out.
    private mutating func formerProperties(
        of entity: EntityDescription, in former: EntityDescription
    ) -> [PropertyDescription: PropertyDescription] {
        if let found = known[entity] { return found }
        var found: [PropertyDescription: PropertyDescription] = [:]
        for property in entity.slots {
            found[property] = former.slots.first {
                $0.ownWireName == property.ownWireName && $0.attribute?.isStored != false
            }
        }
        known[entity] = found
        return found
    }

    /// The value of a former attribute as its successor shows it; null if it can't be shown.
    private static func shown(
        _ value: PropertyValue, of former: PropertyDescription, by attribute: AttributeDescription
    ) -> PropertyValue {
        attribute.wireProperty.type.widened(value, of: former.wireProperty.type) ?? .null
    }

    /// The value that an attribute shows in records that were inserted without it.
    private static func unwritten(_ attribute: AttributeDescription) -> PropertyValue {
        let keys = attribute.entity.root.hierarchy.flatMap(\.ownUniquenessConstraints)
            .filter { $0.contains(attribute) }
        let showsDefault = keys.allSatisfy { $0.count > 1 && !attribute.isOptional }
        return showsDefault ? attribute.defaultValue : .null
    }
}

extension PropertyDescription {
    /// The wire name of the property itself. Two inverses are sent under that of one of them.
    fileprivate var ownWireName: WireName {
        switch self {
        case .attribute(let attribute): attribute.wireProperty.name
        case .relationship(let relationship): relationship.declaredWireName
        }
    }
}
