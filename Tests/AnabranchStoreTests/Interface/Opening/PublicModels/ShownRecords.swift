import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// The records that a store shows, with their values and with the members of their relationships.
///
/// `ShownState` tells whether two stores of one version show the same. These records have the
/// descriptions of their version too, so they can be compared with those of another version.
struct ShownRecords {
    struct Row {
        let entity: EntityDescription
        /// The values of the attributes by slot.
        let slots: [PropertyValue]
        /// The members of the relationships by slot.
        fileprivate(set) var membersBySlot: [Int: [RecordID]]

        /// The records at the other end, in the order of a list.
        func members(of relationship: RelationshipDescription) -> [RecordID] {
            membersBySlot[relationship.slot] ?? []
        }
    }

    let model: ManagedObjectModel
    let rows: [RecordID: Row]

    init(_ store: Store) throws {
        model = store.model
        rows = try store.read { reader in
            var found: [RowSnapshot] = []
            for root in store.model.entities where root.superentity == nil {
                try reader.rows(FetchQuery(entity: root)) { found.append(RowSnapshot($0)) }
            }
            var rows = try Self.rows(found, of: store)
            for (entity, group) in Dictionary(grouping: found, by: \.entity) {
                let owners = group.map(\.id)
                for relationship in entity.relationships
                where relationship.storage != .reference {
                    for end in try reader.related(by: relationship, of: owners) {
                        let owner = try Self.record(end.owner, of: store)
                        let member = try Self.record(end.id, of: store)
                        rows[owner]?.membersBySlot[relationship.slot, default: []]
                            .append(member)
                    }
                }
            }
            return rows
        }
    }

    private static func record(_ id: LocalID, of store: Store) throws -> RecordID {
        try #require(try store.recordID(of: id))
    }

    /// The rows with their references. A reference to a record that does not show is left out, as
    /// a context shows it.
    private static func rows(
        _ found: [RowSnapshot], of store: Store
    ) throws -> [RecordID: Row] {
        let entities = Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0.entity) })
        var rows: [RecordID: Row] = [:]
        for row in found {
            var members: [Int: [RecordID]] = [:]
            for relationship in row.entity.relationships {
                guard case .integer(let target) = row.slots[relationship.slot],
                    entities[target]?.isKind(of: relationship.destination) == true
                else { continue }
                members[relationship.slot] = [try record(target, of: store)]
            }
            let id = try record(row.id, of: store)
            rows[id] = Row(entity: row.entity, slots: row.slots, membersBySlot: members)
        }
        return rows
    }

    /// The attributes without a value, the mandatory relationships without a member, and the
    /// relationships of which no record has a member.
    var gaps: [String] {
        var gaps: Set<String> = []
        var all: Set<RelationshipDescription> = []
        var used: Set<RelationshipDescription> = []
        for row in rows.values {
            for attribute in row.entity.attributes
            where attribute.isStored && row.slots[attribute.slot].isNull {
                gaps.insert("\(attribute)")
            }
            for relationship in row.entity.relationships {
                all.insert(relationship)
                if !row.members(of: relationship).isEmpty {
                    used.insert(relationship)
                } else if !relationship.isOptional {
                    gaps.insert("\(relationship)")
                }
            }
        }
        return gaps.union(all.subtracting(used).map { "\($0)" }).sorted()
    }

    /// The relationships with a member that does not have the record in the inverse.
    var differingInverses: [String] {
        var found: Set<String> = []
        for (id, row) in rows {
            for relationship in row.entity.relationships {
                guard let inverse = relationship.inverse else { continue }
                let isOneSided = row.members(of: relationship).contains { member in
                    rows[member]?.members(of: inverse).contains(id) != true
                }
                if isOneSided { found.insert("\(relationship)") }
            }
        }
        return found.sorted()
    }
}
