import Anabranch
import Foundation

/// Converts some rows into unsaved records of a context.
struct ImportBatch {
    /// A link to a record that a later row may insert.
    struct Deferred {
        let owner: ManagedObjectID
        let rule: Int
        let key: PropertyValue
        let field: String
        let place: InputPlace
    }

    private let preparer: RowPreparer
    private let context: ManagedObjectContext
    private var plan: ImportPlan { preparer.plan }
    private var indexes: [KeyIndex] = []
    private(set) var deferred: [Deferred] = []
    private(set) var insertedCount = 0
    private(set) var updatedCount = 0
    private(set) var missingCount = 0

    init(preparer: RowPreparer, context: ManagedObjectContext) {
        self.preparer = preparer
        self.context = context
    }

    mutating func apply(_ rows: [PreparedRow]) throws {
        indexes = try plan.links.indices.map { rule in
            let keys = rows.flatMap(\.links).filter { $0.rule == rule }.flatMap(\.keys)
            let link = plan.links[rule]
            return try KeyIndex(Set(keys), of: link.key, in: link.destination, context: context)
        }
        var existing = KeyIndex()
        if let key = plan.key {
            existing = try KeyIndex(
                Set(rows.compactMap(\.key)), of: key, in: plan.entity, context: context)
        }
        if plan.links.isEmpty {
            for row in rows { _ = try object(for: row, &existing) }
        } else {
            let objects = try rows.map { try object(for: $0, &existing) }
            for (row, object) in zip(rows, objects) { try connect(object, row) }
        }
    }

    private mutating func object(
        for row: PreparedRow, _ existing: inout KeyIndex
    ) throws -> ManagedObject {
        let object: ManagedObject
        if let key = row.key, let held = existing.objects[key] {
            guard !existing.ambiguous.contains(key) else { throw preparer.ambiguity(of: row) }
            object = held
            updatedCount += 1
            for (slot, value) in row.values
            where try object.value(forKey: plan.entity.slots[slot].name) != value {
                try object.setValue(value, at: slot)
            }
        } else {
            try preparer.checkIsComplete(row)
            object = try context.insert(plan.entity)
            insertedCount += 1
            if let key = row.key { existing.add(object, as: key) }
            for (slot, value) in row.values { try object.setValue(value, at: slot) }
        }
        for (index, rule) in plan.links.enumerated() where plan.entity.isKind(of: rule.destination)
        {
            indexes[index].add(object, as: try object.value(forKey: rule.key.name))
        }
        return object
    }

    private mutating func connect(_ object: ManagedObject, _ row: PreparedRow) throws {
        for link in row.links {
            let rule = plan.links[link.rule]
            guard !link.keys.isEmpty || !rule.isMandatory else {
                throw preparer.error(link, preparer.absence(rule.relationship))
            }
            var found: [ManagedObject] = []
            let deferredBefore = deferred.count
            for key in link.keys {
                if indexes[link.rule].ambiguous.contains(key) {
                    throw preparer.ambiguity(of: key, link, rule)
                }
                // In a list, an element after a deferred one must be deferred too, to keep the
                // order.
                let isBehind = rule.relationship.isOrdered && deferred.count > deferredBefore
                if !isBehind, let other = indexes[link.rule].objects[key] {
                    found.append(other)
                } else if plan.entity.isKind(of: rule.destination) {
                    deferred.append(
                        Deferred(
                            owner: object.objectID, rule: link.rule, key: key, field: link.field,
                            place: link.place))
                } else {
                    try countMissing(key, rule, link.field, link.place)
                }
            }
            // A to-one with a deferred target keeps its content until then.
            if deferred.count == deferredBefore || !found.isEmpty {
                try set(rule.relationship, of: object, to: found)
            }
        }
    }

    private mutating func countMissing(
        _ key: PropertyValue, _ rule: LinkRule, _ field: String, _ place: InputPlace
    ) throws {
        guard rule.allowsMissing else {
            throw preparer.error(missing: key, rule, field, place)
        }
        missingCount += 1
    }

    private func set(
        _ relationship: RelationshipDescription, of object: ManagedObject,
        to others: [ManagedObject]
    ) throws {
        if relationship.isToMany {
            let set = try object.objects(forKey: relationship.name)
            for other in others where !set.contains(other) { set.insert(other) }
        } else if try object.object(forKey: relationship.name) !== others.first {
            try object.setObject(others.first, forKey: relationship.name)
        }
    }

    /// Sets the deferred links after all rows have been read.
    mutating func connect(_ waiting: [Deferred]) throws {
        for (index, rule) in plan.links.enumerated() {
            let links = waiting.filter { $0.rule == index }
            guard !links.isEmpty else { continue }
            let targets = try KeyIndex(
                Set(links.map(\.key)), of: rule.key, in: rule.destination, context: context)
            for link in links {
                guard let other = targets.objects[link.key] else {
                    try countMissing(link.key, rule, link.field, link.place)
                    continue
                }
                let owner = try context.existingObject(with: link.owner)
                try set(rule.relationship, of: owner, to: [other])
            }
        }
    }
}

extension ManagedObject {
    /// Sets an attribute without a look-up of its name, if its type has a setter by slot. An
    /// element is set by its name, which gives the other elements their defaults.
    fileprivate func setValue(_ value: PropertyValue, at slot: Int) throws {
        if entity.slots[slot].attribute?.isElement == true {
            return try setValue(value, forKey: entity.slots[slot].name)
        }
        switch value {
        case .null: self[slot: slot] = String?.none
        case .bool(let flag): self[slot: slot] = flag
        case .integer(let number): self[slot: slot] = number
        case .double(let number): self[slot: slot] = number
        case .decimal(let number): self[slot: slot] = number
        case .string(let text): self[slot: slot] = text
        case .date(let seconds):
            self[slot: slot] = Date(timeIntervalSinceReferenceDate: seconds)
        case .data(let data): self[slot: slot] = data
        case .uuid(let uuid): self[slot: slot] = uuid
        default: try setValue(value, forKey: entity.slots[slot].name)
        }
    }
}
