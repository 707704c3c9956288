import AnabranchModel
import AnabranchReplication

/// The reference model of properties that were something else in another version of the model: the
/// state as the model shows it.
///
/// It is written as plainly as possible, for the changes that the simulated versions make.
struct ExpectedFormerValues {
    let model: ManagedObjectModel

    /// Returns the records with the values of former properties under those that show them, and
    /// with links in place of former references and former links.
    func shown(_ records: [CanonicalRecord]) -> [CanonicalRecord] {
        var shown = records
        let places = Dictionary(
            records.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        for (place, record) in records.enumerated() {
            guard let entity = model.entity(wireName: record.entity) else { continue }
            for property in entity.slots { showLatest(of: property, in: &shown[place]) }
            for relationship in entity.relationships {
                for target in linked(by: relationship, from: record) {
                    let isRight = relationship.storage == .links(.right)
                    guard let owner = isRight ? places[target] : place else { continue }
                    shown[owner].links.append(
                        CanonicalRecord.Link(
                            property: relationship.wireProperty,
                            right: isRight ? record.id : target, tags: LinkTags()))
                }
            }
        }
        return shown
    }

    /// Replaces the values of a single-valued property by the latest that any version wrote.
    private func showLatest(of property: PropertyDescription, in record: inout CanonicalRecord) {
        let isSingle =
            property.attribute.map { $0.group == nil && $0.wireProperty.rule == .lastWriter }
            ?? (property.relationship?.storage == .reference)
        guard isSingle else { return }
        let wire = property.wireProperty
        let cells = record.cells.filter {
            $0.property.name == wire.name && widens($0.property.type, to: wire.type)
        }
        guard let latest = cells.max(by: { $0.stamp < $1.stamp }), latest.property != wire else {
            return
        }
        record.cells.removeAll { $0.property == wire }
        record.cells.append(.init(property: wire, value: latest.value, stamp: latest.stamp))
    }

    /// Returns whether a type shows the values of another one; references show list entries too.
    private func widens(_ former: WireType, to type: WireType) -> Bool {
        former == type || (former, type) == (.integer16, .integer64)
            || Set([former, type]) == [.reference, .group]
    }

    /// Returns the records to which a to-one, or links of another version, link a record.
    private func linked(
        by relationship: RelationshipDescription, from record: CanonicalRecord
    ) -> [RecordID] {
        guard case .links = relationship.storage else { return [] }
        let name = relationship.declaration.wireName ?? relationship.name
        return record.cells.filter { $0.property.name.string == name }
            .compactMap { ListEntry.target(of: $0.value) }
            + record.links.filter {
                $0.property.name.string == name && $0.property != relationship.wireProperty
            }.map(\.right)
    }
}
