package import AnabranchModel
package import AnabranchReplication
import TestSupport

/// The values, references and lists that an app must see of a state through its model.
///
/// These are the view rules: they are computed from the state and never written. A to-one shows its
/// target if the target exists and no other rule hides it. A to-many shows the records whose to-one
/// shows its owner. A link shows if both its records exist. A list is ordered by the list positions
/// of its elements. Entities and properties that the model lacks are not visible, unless a property
/// shows them in their place. An attribute that was never written shows its default.
package struct ExpectedView: Equatable {
    /// The attributes of each visible record that are not null.
    package private(set) var attributes: [RecordID: [String: PropertyValue]] = [:]
    /// The visible target of each record, for each to-one by entity and name.
    package private(set) var references: [String: [RecordID: RecordID]] = [:]
    /// The visible members of each record, for each to-many by entity and name. An ordered to-many
    /// has its list order, every other to-many the order of the IDs.
    package private(set) var related: [String: [RecordID: [RecordID]]] = [:]

    init() {}

    /// Computes the view of a state.
    ///
    /// - Parameter records: The whole state.
    package init(of records: some Sequence<CanonicalRecord>, model: ManagedObjectModel) {
        let known = ExpectedFormerValues(model: model).shown(
            records.filter { !$0.isDead && model.entity(wireName: $0.entity) != nil })
        let groups = ExpectedDuplicates(of: known.map(Self.withoutPlaces), model: model)
        recordAttributes(of: groups, model)
        recordReferences(of: groups, model)
        recordRelated(of: groups, places: ExpectedPlaces(of: known), model)
    }

    /// Returns the record with each reference that has a list position turned into a plain
    /// reference.
    private static func withoutPlaces(_ record: CanonicalRecord) -> CanonicalRecord {
        var plain = record
        for index in plain.cells.indices {
            guard let entry = ListEntry(plain.cells[index].value) else { continue }
            plain.cells[index].value = .reference(entry.target)
        }
        return plain
    }

    private mutating func recordAttributes(
        of groups: ExpectedDuplicates, _ model: ManagedObjectModel
    ) {
        for record in groups.shown {
            let cells = Dictionary(
                record.cells.map { ($0.property, $0.value) }, uniquingKeysWith: { $1 })
            var values: [String: PropertyValue] = [:]
            guard let entity = model.entity(wireName: record.entity) else { continue }
            for attribute in entity.attributes {
                let written = cells[attribute.wireProperty]
                // A mandatory attribute shows its default also in place of null.
                let isShown = written.map { $0 != .null || attribute.isOptional } ?? false
                values[attribute.name] = isShown ? written : attribute.defaultValue
            }
            for group in entity.attributeGroups {
                let members = group.values(in: cells[group.wireProperty])
                for (member, value) in zip(group.members, members) {
                    values[member.attribute.name] = value
                }
            }
            attributes[record.id] = values.filter { $0.value != .null }
        }
    }

    private mutating func recordReferences(
        of groups: ExpectedDuplicates, _ model: ManagedObjectModel
    ) {
        let stored = Self.relationships(of: model).filter { $0.storage == .reference }
        let expected = ExpectedReferences(
            of: groups.shown, properties: stored.map(\.wireString),
            exclusive: Set(
                stored.filter { $0.inverse?.isToMany == false && !$0.isMutual }.map(\.wireString)),
            mutual: Set(stored.filter(\.isMutual).map(\.wireString)),
            acyclic: Set(stored.filter(\.isAcyclic).map(\.wireString)))
        for relationship in stored {
            let shown = expected.shown[relationship.wireString] ?? [:]
            references["\(relationship)"] = shown
            guard let inverse = relationship.inverse, !inverse.isToMany else { continue }
            references["\(inverse)"] = Dictionary(
                shown.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        }
    }

    private mutating func recordRelated(
        of groups: ExpectedDuplicates, places: ExpectedPlaces, _ model: ManagedObjectModel
    ) {
        for relationship in Self.relationships(of: model) where relationship.isToMany {
            var found: [RecordID: [(id: RecordID, position: ListPosition?)]] = [:]
            if relationship.storage == .inverseReference, let inverse = relationship.inverse {
                for (holder, owner) in references["\(inverse)"] ?? [:] {
                    let place = places.inReferences[inverse.wireString]?[holder]
                    found[owner, default: []].append((holder, place ?? .unplaced(holder)))
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
        _ relationship: RelationshipDescription, _ link: ExpectedDuplicates.Link
    ) -> Bool {
        guard case .links = relationship.storage else { return false }
        return link.property == relationship.wireString
    }

    private static func relationships(of model: ManagedObjectModel) -> [RelationshipDescription] {
        model.entities.flatMap(\.relationships)
    }

    package func check(_ shown: ExpectedView, in place: String) throws {
        guard shown != self else { return }
        throw SimulationFailure("\(place) shows \(difference(to: shown))")
    }

    /// Returns a text about the first difference, for a failure.
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

extension RelationshipDescription {
    /// The name under which the stored side of the relationship is sent.
    fileprivate var wireString: String { wireProperty.name.string }
}

/// The list positions of elements, as the state has them.
private struct ExpectedPlaces {
    /// The list position of each record's reference, by the to-one's wire name.
    private(set) var inReferences: [String: [RecordID: ListPosition]] = [:]
    private(set) var ofLinks: [ExpectedDuplicates.Link: LinkPosition] = [:]

    init(of records: [CanonicalRecord]) {
        for record in records {
            for cell in record.cells {
                guard let entry = ListEntry(cell.value) else { continue }
                inReferences[cell.property.name.string, default: [:]][record.id] = entry.position
            }
            for link in record.links {
                let name = ExpectedDuplicates.Link(
                    property: link.property.name.string, left: record.id, right: link.right)
                ofLinks[name] = link.tags.all.last?.place ?? LinkPosition.none
            }
        }
    }

    /// Returns the members ordered by position, then by ID. A member without a position comes
    /// first.
    static func inOrder(_ members: [(id: RecordID, position: ListPosition?)]) -> [RecordID] {
        members.sorted { left, right in
            let (one, other) = (left.position?.bytes ?? [], right.position?.bytes ?? [])
            return one == other ? left.id < right.id : one.lexicographicallyPrecedes(other)
        }.map(\.id)
    }
}

extension ExpectedView {
    /// Reads what an app sees of a replica through each way of reading.
    init(shownBy replica: SimulatedReplica) throws {
        self.init()
        for entity in replica.names.model.entities {
            let rows = try replica.rows(of: entity).filter { $0.entity == entity }
            for row in rows {
                let values = entity.attributes.map { ($0.name, row.slots[$0.slot]) }
                attributes[try replica.identity(row.id)] = Dictionary(
                    uniqueKeysWithValues: values.filter { $0.1 != .null })
            }
            for relationship in entity.relationships {
                try add(relationship, rows, replica)
            }
        }
    }

    private mutating func add(
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
        // A sub-entity has the relationships of its super-entity too.
        guard relationship.isToMany else {
            references["\(relationship)", default: [:]].merge(targets.compactMapValues(\.first)) {
                $1
            }
            return
        }
        let members = relationship.isOrdered ? targets : targets.mapValues { $0.sorted() }
        related["\(relationship)", default: [:]].merge(members) { $1 }
    }
}
