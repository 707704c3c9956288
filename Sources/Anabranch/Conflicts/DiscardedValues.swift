public import AnabranchModel
public import AnabranchReplication
public import AnabranchStore

/// The values that were lost with one deleted record, gathered from the conflict journal. A new
/// object can be inserted from them.
///
/// Values that the deleting replica had seen were deleted on purpose and are not here. If several
/// discarded writes concern one property, its merge rule chooses one of them. For a counter, the
/// value is the held number plus everything that was added.
public struct DiscardedValues: Sendable {
    /// The deleted record.
    public let record: RecordID
    /// The record's entity.
    public let entity: EntityDescription
    /// The lost attribute values, by attribute name.
    public private(set) var attributes: [String: Value] = [:]
    /// The whole values of attribute groups; their members are also among `attributes`.
    private(set) var groups: [(AttributeGroupDescription, Value)] = []
    /// The records that the deleted record was related to, by relationship name, in ascending
    /// order. Some of them may be deleted too. A to-one relationship has at most one.
    public private(set) var related: [String: [RecordID]] = [:]
    /// The journal entries behind these values, the newest first. Entries for properties that the
    /// model does not know are included.
    public let conflicts: [Conflict]

    init(_ conflicts: [Conflict], of record: RecordID, entity: EntityDescription) {
        self.conflicts = conflicts
        self.record = record
        self.entity = entity
        let own = conflicts.filter { $0.record == record && !$0.isLink }
        for (_, writes) in Dictionary(grouping: own, by: \.property) { gather(writes) }
        for conflict in conflicts where conflict.isLink { gather(link: conflict) }
    }

    /// True if neither attribute values nor related records were lost.
    public var isEmpty: Bool { attributes.isEmpty && related.isEmpty }

    /// - Parameter writes: Discarded writes of one property; not empty.
    private mutating func gather(_ writes: [Conflict]) {
        let value = Self.standing(among: writes)
        if let group = entity.attributeGroup(writes[0].property) {
            groups.append((group, value))
            for (member, value) in zip(group.members, group.values(in: value)) {
                attributes[member.attribute.name] = value
            }
        }
        if let (attribute, shown) = entity.attribute(showing: value, of: writes[0].property) {
            attributes[attribute.name] = shown
            return
        }
        guard let property = entity.property(of: writes[0]) else { return }
        switch property {
        case .attribute(let attribute): attributes[attribute.name] = value
        case .relationship(let relationship):
            if let target = ListEntry.target(of: value) {
                related[relationship.name] = [target]
            } else {
                related[relationship.name] = []
            }
        }
    }

    private static func standing(among writes: [Conflict]) -> Value {
        let property = writes[0].property
        if property.rule == .counter {
            let held = writes.first { $0.kind != .writeToDeleted }?.value ?? .null
            return writes.filter { $0.kind == .writeToDeleted }.reduce(held) {
                Counter.sum($0, $1.value, of: property.type)
            }
        }
        return writes.dropFirst().reduce(writes[0]) { held, write in
            let outcome = Register.outcome(
                ofWriting: write.lost.stamp, over: held.lost.stamp, by: property.rule,
                values: { (write.value, held.value) })
            return outcome == .replaces ? write : held
        }.value
    }

    private mutating func gather(link conflict: Conflict) {
        guard case .reference(let right) = conflict.value else { return }
        if conflict.record == record, let property = entity.property(of: conflict) {
            add(right, to: property.relationship)
        }
        if right == record, conflict.record != record {
            let inverse = entity.relationships.first {
                $0.wireProperty == conflict.property
                    && $0.storedSide.entity.wireName.string == conflict.entity
                    && ($0 != $0.storedSide || $0.inverse == $0)
            }
            add(conflict.record, to: inverse)
        }
    }

    private mutating func add(_ other: RecordID, to relationship: RelationshipDescription?) {
        guard let name = relationship?.name else { return }
        var others = Set(related[name] ?? [])
        others.insert(other)
        related[name] = others.sorted()
    }
}

extension ManagedObjectContext {
    /// Returns the values that were lost because another replica had deleted a conflict's record.
    /// For a discarded link, the record is the end that was deleted.
    ///
    /// - Returns: The discarded values, which are empty if the record was not deleted.
    /// - Throws: ``ConflictError`` with code `unknownProperty` if the model does not know the
    ///   entity; `StoreError`.
    public func discardedValues(of conflict: Conflict) throws -> DiscardedValues {
        checkQueue()
        let record = try deletedRecord(of: conflict)
        let all = try coordinator.conflicts(.record(record)).filter { $0.kind != .concurrentWrite }
        guard let entity = try entity(of: record, toldBy: all, for: conflict) else {
            throw ConflictError(
                .unknownProperty, conflict,
                because: "the model has no such entity; open the store with the model of the "
                    + "replica that wrote it.")
        }
        return DiscardedValues(all, of: record, entity: entity)
    }

    private func deletedRecord(of conflict: Conflict) throws -> RecordID {
        let store = coordinator.store
        guard conflict.kind == .linkToDeleted, case .reference(let right) = conflict.value,
            let entity = try store.entity(of: conflict),
            let left = try store.visibleID(of: conflict.record),
            try store.read({ try $0.entity(of: left, in: entity) }) != nil
        else { return conflict.record }
        return right
    }

    /// Returns the entity of a deleted record.
    ///
    /// A discarded write names the record's own entity. A discarded link names the entity that
    /// declares the relationship, which can be a super-entity.
    private func entity(
        of record: RecordID, toldBy conflicts: [Conflict], for conflict: Conflict
    ) throws -> EntityDescription? {
        let telling = conflicts.first { $0.record == record && $0.kind != .linkToDeleted }
        if telling != nil || record == conflict.record {
            return try coordinator.store.entity(of: telling ?? conflict)
        }
        return try coordinator.store.entity(of: conflict)?.property(of: conflict)?.relationship?
            .destination
    }

    /// Inserts a new object with the values of a deleted one. The object is an ordinary unsaved
    /// insertion with its own ID, because a deleted record never comes back.
    ///
    /// Relationships to deleted objects are left out. If the entity requires a value that the
    /// deleting replica had seen, set it before the save.
    ///
    /// - Parameter discarded: The values, from ``discardedValues(of:)``.
    /// - Returns: The new object.
    /// - Throws: ``PropertyError`` if a value is refused or the entity is abstract; `StoreError`.
    ///   Nothing has changed then.
    @discardableResult
    public func insert(_ discarded: DiscardedValues) throws -> ManagedObject {
        let object = try insert(discarded.entity)
        do {
            for (name, value) in discarded.attributes { try object.setValue(value, forKey: name) }
            for (group, value) in discarded.groups { try setGroup(group, of: object, to: value) }
            for relationship in discarded.entity.relationships {
                for record in discarded.related[relationship.name] ?? [] {
                    guard let other = try existingTarget(record, of: relationship) else { continue }
                    if relationship.isToMany {
                        try insert(other, into: object, relationship)
                    } else {
                        try setTarget(of: object, by: relationship, to: other)
                    }
                }
            }
        } catch {
            delete(object)
            throw error
        }
        return object
    }
}
