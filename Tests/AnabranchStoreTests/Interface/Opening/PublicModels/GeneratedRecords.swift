import AnabranchModel
import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport
import Testing

extension Store {
    /// Inserts records of every entity with a value of every property, in one save.
    ///
    /// - Parameter least: The least number of records of each entity.
    func fill(least: Int = 3) throws {
        _ = try save(try GeneratedRecords(for: self, least: least).request)
    }
}

/// New records of every entity of a model, which refer to one another.
///
/// Every attribute of a record has another value, which is not its default, except that booleans
/// only differ from their defaults. Every relationship has members, and no mandatory one is empty.
struct GeneratedRecords {
    private let model: ManagedObjectModel
    /// The records of each entity that is not abstract, without those of its sub-entities.
    private var ids: [EntityDescription: [LocalID]] = [:]
    private var slots: [LocalID: [PropertyValue]] = [:]
    private var links: [SaveRequest.LinkChange] = []

    /// - Parameter store: The store that reserves the numbers of the records.
    init(for store: Store, least: Int) throws {
        model = store.model
        let counts = Self.counts(of: store.model, least: least)
        var numbers = Array(try store.reserveNumbers(counts.values.reduce(0, +)))[...]
        for entity in store.model.entities where !entity.isAbstract {
            let own = Array(numbers.prefix(counts[entity] ?? 0))
            numbers = numbers.dropFirst(own.count)
            ids[entity] = own
            for id in own { slots[id] = Self.values(of: entity, id) }
        }
        for entity in store.model.entities {
            for relationship in entity.relationships where relationship.entity == entity {
                switch relationship.storage {
                case .reference: refer(by: relationship)
                case .links(.left), .links(.both): link(by: relationship)
                case .inverseReference, .links(.right), .memory: break
                }
            }
        }
    }

    /// The insertion of all records.
    ///
    /// The records of an entity come in the opposite order of their IDs, so that a list is not in
    /// the order that a set has.
    var request: SaveRequest {
        var request = SaveRequest()
        for entity in model.entities {
            guard let own = ids[entity] else { continue }
            let rows = own.reversed().map { (id: $0, slots: slots[$0] ?? []) }
            request.inserts.append(SaveRequest.Insert(entity: entity, rows: rows))
        }
        request.links = links
        return request
    }

    // MARK: - Numbers of records

    /// The number of records of each entity that is not abstract.
    ///
    /// Members of lists are one more, so that a list has two. If a one-to-one is mandatory, there
    /// are as many records at its other end.
    private static func counts(
        of model: ManagedObjectModel, least: Int
    ) -> [EntityDescription: Int] {
        var counts: [EntityDescription: Int] = [:]
        for entity in model.entities where !entity.isAbstract {
            let isInList = entity.relationships.contains { $0.isListEntry }
            counts[entity] = least + (isInList ? 1 : 0)
        }
        let mandatory = model.entities.flatMap(\.relationships).filter {
            !$0.isToMany && !$0.isOptional && $0.inverse?.isToMany == false
        }
        // More records of one entity may require more of another one.
        for _ in model.entities {
            for relationship in mandatory {
                let lacking =
                    count(of: relationship.entity, in: counts)
                    - count(of: relationship.destination, in: counts)
                guard lacking > 0,
                    let entity = relationship.destination.hierarchy.first(where: {
                        !$0.isAbstract
                    })
                else { continue }
                counts[entity, default: 0] += lacking
            }
        }
        return counts
    }

    /// The number of records of an entity and its sub-entities.
    private static func count(
        of entity: EntityDescription, in counts: [EntityDescription: Int]
    ) -> Int {
        entity.hierarchy.reduce(0) { $0 + (counts[$1] ?? 0) }
    }

    // MARK: - Values

    private static func values(of entity: EntityDescription, _ id: LocalID) -> [PropertyValue] {
        entity.slots.map { property in
            guard let attribute = property.attribute, attribute.isStored else { return .null }
            // The numbers of one attribute differ, and so do those of one record.
            let number = (Int64(id.number) * 31 + Int64(attribute.slot)) % 30_000 + 1
            var value = Self.value(of: attribute, number)
            if value == attribute.defaultValue { value = Self.value(of: attribute, 30_001) }
            if value == attribute.defaultValue || attribute.violation(by: value) != nil {
                Issue.record("No value for \(attribute) is generated that its settings allow.")
            }
            return value
        }
    }

    /// - Parameter number: A number from 1 to 30,001, which every numeric type holds.
    private static func value(of attribute: AttributeDescription, _ number: Int64) -> PropertyValue
    {
        switch attribute.type {
        case .integer16, .integer32, .integer64: .integer(number)
        case .double, .float: .double(Double(number) + 0.25)
        case .decimal: .decimal(ExactDecimal("\(number).25") ?? ExactDecimal(number))
        case .string: .string("\(attribute.name) \(number)")
        case .boolean: .bool(attribute.defaultValue != .bool(true))
        case .date: .date(Double(number) * 1000 + 0.5)
        case .binary, .transformable: .data(Data("\(attribute.name) \(number)".utf8))
        case .uuid: .uuid(uuid(number))
        case .uri: .uri("https://example.org/\(number)")
        case .undefined: .null
        }
    }

    private static func uuid(_ number: Int64) -> UUID {
        let (high, low) = (UInt8(number >> 8), UInt8(number & 0xFF))
        return UUID(uuid: (high, low, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))
    }

    // MARK: - References and links

    /// The records of an entity and its sub-entities.
    private func records(of entity: EntityDescription) -> [LocalID] {
        entity.hierarchy.flatMap { ids[$0] ?? [] }
    }

    /// The distance from the position of an owner to that of its target, which differs from one
    /// relationship to the next.
    private static func distance(of relationship: RelationshipDescription, among count: Int) -> Int
    {
        1 + relationship.slot % max(1, count - 1)
    }

    /// Sets a to-one: two records refer to one target if that has a list of them, no two if it is
    /// a one-to-one, and otherwise as few as possible.
    private mutating func refer(by relationship: RelationshipDescription) {
        let targets = records(of: relationship.destination)
        guard !targets.isEmpty else { return }
        let isExclusive = relationship.inverse.map { !$0.isToMany } ?? false
        let ownersOfOne = relationship.isListEntry ? 2 : 1
        let distance = Self.distance(of: relationship, among: targets.count)
        for (place, owner) in records(of: relationship.entity).enumerated() {
            if isExclusive, place >= targets.count { break }
            let target = place / ownersOfOne + distance
            let isSelf = targets[target % targets.count] == owner
            let chosen = isSelf && !isExclusive ? target + 1 : target
            slots[owner]?[relationship.slot] = .integer(targets[chosen % targets.count])
        }
    }

    /// Links each owner with two records, the later one first.
    private mutating func link(by relationship: RelationshipDescription) {
        let targets = records(of: relationship.destination)
        guard !targets.isEmpty else { return }
        let distance = Self.distance(of: relationship, among: targets.count)
        for (place, owner) in records(of: relationship.entity).enumerated() {
            var members: [LocalID] = []
            for target in [place + distance + 1, place + distance] {
                let member = targets[target % targets.count]
                if member != owner, !members.contains(member) { members.append(member) }
            }
            links += members.map {
                SaveRequest.LinkChange(
                    relationship: relationship, owner: owner, other: $0, isAdded: true)
            }
        }
    }
}
