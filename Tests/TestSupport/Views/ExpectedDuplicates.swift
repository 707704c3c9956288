package import AnabranchModel
package import AnabranchReplication

/// The reference model of merged duplicates: what records with one unique key must show.
///
/// It is written as plainly as possible, and computes everything from the state each time.
package struct ExpectedDuplicates {
    package struct Link: Hashable {
        package let property: String
        package let left: RecordID
        package let right: RecordID

        package init(property: String, left: RecordID, right: RecordID) {
            self.property = property
            self.left = left
            self.right = right
        }
    }

    /// One record for each duplicate set, merged from its members. References point to the
    /// surviving record of their target.
    package private(set) var shown: [CanonicalRecord] = []
    /// The links between surviving records.
    package private(set) var links: Set<Link> = []
    /// The surviving record of each member of a set.
    package private(set) var visible: [RecordID: RecordID] = [:]
    private let model: ManagedObjectModel

    /// - Parameter records: The whole state.
    package init(of records: [CanonicalRecord], model: ManagedObjectModel) {
        self.model = model
        let living = records.filter { !$0.isDead }.sorted { $0.id < $1.id }
        var groups = living.map { [$0] }
        var holders: [[PropertyValue]: RecordID] = [:]
        for record in living {
            for key in keys(of: record) {
                guard let other = holders.updateValue(record.id, forKey: key) else { continue }
                let met = groups.filter { group in
                    group.contains { $0.id == record.id || $0.id == other }
                }
                groups.removeAll { group in met.contains { $0[0].id == group[0].id } }
                groups.append(met.joined().sorted { $0.id < $1.id })
            }
        }
        for group in groups where group.count > 1 {
            for member in group { visible[member.id] = group[0].id }
        }
        let entities = Dictionary(
            living.map { ($0.id, $0.entity) }, uniquingKeysWith: { first, _ in first })
        shown = groups.map { merged($0, entities) }.sorted { $0.id < $1.id }
        let held = Set(living.map(\.id))
        for record in living {
            for link in record.links where held.contains(link.right) {
                add(link, of: record.id)
            }
        }
    }

    /// Returns the keys without null values, each with its index in the model.
    private func keys(of record: CanonicalRecord) -> [[PropertyValue]] {
        var keys: [[PropertyValue]] = []
        var owner = model.entity(wireName: record.entity)
        while let entity = owner {
            for (place, attributes) in entity.ownUniquenessConstraints.enumerated() {
                let values = attributes.map { attribute in
                    record.cells.first { $0.property == attribute.wireProperty }?.value ?? .null
                }
                guard !values.contains(.null) else { continue }
                keys.append([.string(entity.name), .integer(Int64(place))] + values)
            }
            owner = entity.superentity
        }
        return keys
    }

    private func merged(
        _ group: [CanonicalRecord], _ entities: [RecordID: WireName]
    ) -> CanonicalRecord {
        var record = CanonicalRecord(id: group[0].id, entity: group[0].entity)
        for property in Set(group.flatMap(\.cells).map(\.property)).sorted() {
            let cells = group.flatMap(\.cells).filter { $0.property == property }
            guard var cell = merged(cells, by: property.rule) else { continue }
            if case .reference(let target) = cell.value, let other = visible[target],
                other != target
            {
                cell.value = fits(other, property, entities) ? .reference(other) : .null
            }
            record.cells.append(cell)
        }
        return record
    }

    private func merged(
        _ cells: [CanonicalRecord.Cell], by rule: MergeRule
    ) -> CanonicalRecord.Cell? {
        switch rule {
        case .counter:
            var sum: Int64?
            for case .integer(let part) in cells.map(\.value) { sum = (sum ?? 0) + part }
            return cells.max { $0.stamp < $1.stamp }.map {
                .init(
                    property: $0.property, value: sum.map(PropertyValue.integer) ?? .null,
                    stamp: $0.stamp)
            }
        case .max:
            return cells.max { first, second in
                guard case .integer(let left) = first.value else { return true }
                guard case .integer(let right) = second.value else { return false }
                return left < right
            }
        case .firstWriter: return valued(cells).min { $0.stamp < $1.stamp }
        default: return valued(cells).max { $0.stamp < $1.stamp }
        }
    }

    /// Returns the cells with a value. An attribute that a merged duplicate left empty does not
    /// overwrite the value of another.
    private func valued(_ cells: [CanonicalRecord.Cell]) -> [CanonicalRecord.Cell] {
        let valued = cells.filter { cell in
            guard case .group(let group) = cell.value else { return !cell.value.isNull }
            return group.members.contains { !$0.value.isNull }
        }
        return valued.isEmpty ? cells : valued
    }

    /// Returns whether a reference may point to a record.
    private func fits(
        _ target: RecordID, _ property: WireProperty, _ entities: [RecordID: WireName]
    ) -> Bool {
        guard let name = entities[target], let entity = model.entity(wireName: name) else {
            return true
        }
        let relationships = model.entities.flatMap(\.relationships).filter {
            $0.storage == .reference && $0.wireProperty == property
        }
        return relationships.allSatisfy { entity.isKind(of: $0.destination) }
    }

    private mutating func add(_ link: CanonicalRecord.Link, of left: RecordID) {
        let ends = [visible[left] ?? left, visible[link.right] ?? link.right]
        let relationship = model.entities.flatMap(\.relationships).first {
            $0.wireProperty == link.property
        }
        let isSymmetric = relationship?.inverse == relationship
        let ordered = isSymmetric ? ends.sorted() : ends
        links.insert(
            Link(property: link.property.name.string, left: ordered[0], right: ordered[1]))
    }

    /// Returns whether two records are shown as one.
    package func areOne(_ first: RecordID, _ second: RecordID) -> Bool {
        (visible[first] ?? first) == (visible[second] ?? second)
    }
}
