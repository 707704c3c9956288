package import AnabranchModel
package import AnabranchReplication
import TestSupport

/// What an app must see of a state by its model: rules that are computed and never written.
///
/// A to-one shows its target only where that is there and no other rule hides it, a to-many shows
/// whoever shows that it belongs to it, a link shows only between two that are there, and a list
/// stands in the order of the places that its elements hold. What a model does not know is not
/// to be seen.
package struct ExpectedView: Equatable {
    /// Of each record that is there the attributes that are not null.
    package private(set) var attributes: [RecordID: [String: Value]] = [:]
    /// Of each to-one, by entity and name, who shows whom.
    package private(set) var references: [String: [RecordID: RecordID]] = [:]
    /// Of each to-many, by entity and name: an ordered one as it stands, others by identity.
    package private(set) var related: [String: [RecordID: [RecordID]]] = [:]

    init() {}

    /// - Parameter records: The whole state.
    package init(of records: some Sequence<CanonicalRecord>, model: ManagedObjectModel) {
        let known = records.filter { !$0.isDead && model.entity(wireName: $0.entity) != nil }
        let groups = ExpectedGroups(of: known.map(Self.withoutPlaces), model: model)
        noteAttributes(of: groups, model)
        noteReferences(of: groups, model)
        noteRelated(of: groups, places: ExpectedPlaces(of: known), model)
    }

    /// The same where a place in an ordered one-to-many is a reference alone.
    private static func withoutPlaces(_ record: CanonicalRecord) -> CanonicalRecord {
        var plain = record
        for index in plain.cells.indices {
            guard let entry = ListEntry(plain.cells[index].value) else { continue }
            plain.cells[index].value = .reference(entry.target)
        }
        return plain
    }

    private mutating func noteAttributes(of groups: ExpectedGroups, _ model: ManagedObjectModel) {
        for record in groups.shown {
            let cells = Dictionary(
                record.cells.map { ($0.property, $0.value) }, uniquingKeysWith: { $1 })
            var values: [String: Value] = [:]
            guard let entity = model.entity(wireName: record.entity) else { continue }
            for attribute in entity.attributes {
                values[attribute.name] = cells[attribute.wireProperty]
            }
            for group in entity.attributeGroups {
                let members = group.values(in: cells[group.wireProperty] ?? .null)
                for (member, value) in zip(group.members, members) {
                    values[member.attribute.name] = value
                }
            }
            attributes[record.id] = values.filter { $0.value != .null }
        }
    }

    private mutating func noteReferences(of groups: ExpectedGroups, _ model: ManagedObjectModel) {
        let stored = Self.relationships(of: model).filter { $0.storage == .reference }
        let expected = ExpectedReferences(
            of: groups.shown, properties: stored.map(\.name),
            exclusive: Set(stored.filter { $0.inverse?.isToMany == false }.map(\.name)),
            acyclic: Set(stored.filter(\.isAcyclic).map(\.name)))
        for relationship in stored {
            let shown = expected.shown[relationship.name] ?? [:]
            references["\(relationship)"] = shown
            guard let inverse = relationship.inverse, !inverse.isToMany else { continue }
            references["\(inverse)"] = Dictionary(
                shown.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    private mutating func noteRelated(
        of groups: ExpectedGroups, places: ExpectedPlaces, _ model: ManagedObjectModel
    ) {
        for relationship in Self.relationships(of: model) where relationship.isToMany {
            var found: [RecordID: [(id: RecordID, position: ListPosition?)]] = [:]
            if relationship.storage == .inverseReference, let inverse = relationship.inverse {
                for (holder, owner) in references["\(inverse)"] ?? [:] {
                    found[owner, default: []].append(
                        (holder, places.inReferences[inverse.name]?[holder]))
                }
            }
            for link in groups.links where Self.isOf(relationship, link) {
                let place = places.ofLinks[link] ?? .none
                if relationship.storage == .links(.left) {
                    found[link.left, default: []].append((link.right, place.inLeft))
                } else {
                    found[link.right, default: []].append((link.left, place.inRight))
                }
            }
            related["\(relationship)"] = found.mapValues { members in
                relationship.isOrdered
                    ? ExpectedPlaces.inOrder(members) : members.map(\.id).sorted()
            }
        }
    }

    private static func isOf(
        _ relationship: RelationshipDescription, _ link: ExpectedGroups.Link
    ) -> Bool {
        guard case .links = relationship.storage else { return false }
        return link.property == relationship.wireProperty.name.string
    }

    private static func relationships(of model: ManagedObjectModel) -> [RelationshipDescription] {
        model.entities.flatMap(\.relationships)
    }

    package func check(_ shown: ExpectedView, in place: String) throws {
        guard shown != self else { return }
        throw SimulationFailure("\(place) shows \(difference(to: shown))")
    }

    /// The first that differs.
    private func difference(to shown: ExpectedView) -> String {
        func first<Key: Hashable, Content: Equatable>(
            _ name: String, _ shown: [Key: Content], _ expected: [Key: Content]
        ) -> String? {
            let keys = Set(shown.keys).union(expected.keys).sorted { "\($0)" < "\($1)" }
            return keys.first { shown[$0] != expected[$0] }.map { key in
                "\(name) of \(key): \(shown[key].map { "\($0)" } ?? "nothing"), not "
                    + "\(expected[key].map { "\($0)" } ?? "nothing")"
            }
        }
        if let found = first("attributes", shown.attributes, attributes) { return found }
        for name in Set(references.keys).union(shown.references.keys).sorted() {
            let (one, other) = (shown.references[name] ?? [:], references[name] ?? [:])
            if let found = first(name, one, other) { return found }
        }
        for name in Set(related.keys).union(shown.related.keys).sorted() {
            let (one, other) = (shown.related[name] ?? [:], related[name] ?? [:])
            if let found = first(name, one, other) { return found }
        }
        return "other relationships"
    }
}

/// Where elements of lists stand, as the state says.
private struct ExpectedPlaces {
    /// By the to-one's name and the record that holds it.
    private(set) var inReferences: [String: [RecordID: ListPosition]] = [:]
    private(set) var ofLinks: [ExpectedGroups.Link: LinkPlace] = [:]

    init(of records: [CanonicalRecord]) {
        for record in records {
            for cell in record.cells {
                guard let entry = ListEntry(cell.value) else { continue }
                inReferences[cell.property.name.string, default: [:]][record.id] = entry.position
            }
            for link in record.links {
                let name = ExpectedGroups.Link(
                    property: link.property.name.string, left: record.id, right: link.right)
                ofLinks[name] = link.tags.place
            }
        }
    }

    /// By position, and of equal ones by identity; what has none comes first.
    static func inOrder(_ members: [(id: RecordID, position: ListPosition?)]) -> [RecordID] {
        members.sorted { left, right in
            let (one, other) = (left.position?.bytes ?? [], right.position?.bytes ?? [])
            return one == other ? left.id < right.id : one.lexicographicallyPrecedes(other)
        }.map(\.id)
    }
}

extension ExpectedView {
    /// What an app sees, by the ways in which it reads.
    init(shownBy replica: SimulatedReplica) throws {
        self.init()
        for entity in replica.names.model.entities {
            let rows = try replica.rows(of: entity)
            for row in rows {
                let values = entity.attributes.map { ($0.name, row.slots[$0.slot]) }
                attributes[try replica.identity(row.id)] = Dictionary(
                    uniqueKeysWithValues: values.filter { $0.1 != .null })
            }
            for relationship in entity.relationships {
                try note(relationship, rows, replica)
            }
        }
    }

    private mutating func note(
        _ relationship: RelationshipDescription, _ rows: [RowSnapshot],
        _ replica: SimulatedReplica
    ) throws {
        var targets: [RecordID: [RecordID]] = [:]
        if relationship.storage == .reference {
            for row in rows {
                guard case .integer(let target) = row.slots[relationship.slot] else { continue }
                targets[try replica.identity(row.id)] = [try replica.identity(target)]
            }
        } else {
            for (owner, other) in try replica.related(by: relationship, of: rows.map(\.id)) {
                targets[try replica.identity(owner), default: []]
                    .append(try replica.identity(other))
            }
        }
        guard relationship.isToMany else {
            references["\(relationship)"] = targets.compactMapValues(\.first)
            return
        }
        related["\(relationship)"] =
            relationship.isOrdered ? targets : targets.mapValues { $0.sorted() }
    }
}
