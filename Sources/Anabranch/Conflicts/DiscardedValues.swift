public import AnabranchModel
public import AnabranchReplication
public import AnabranchStore

/// All that this file knows of a deleted record: a new object can be inserted from it.
///
/// The values come from the conflict journal, and from the log as far as it goes back. If several
/// writes concern one property, its merge rule chooses one of them. For a counter, the value is the
/// held number plus everything that was added.
///
/// The members of a relationship with a to-one inverse are not here: they refer to the deleted
/// record, which does not refer to them.
public struct DiscardedValues: Sendable {
    /// The deleted record.
    public let record: RecordID
    /// The record's entity.
    public let entity: EntityDescription
    /// The lost attribute values, by attribute name.
    public private(set) var attributes: [String: PropertyValue] = [:]
    /// The whole values of attribute groups; their members are also among `attributes`.
    private(set) var groups: [(AttributeGroupDescription, PropertyValue)] = []
    /// The records that the deleted record was related to, by relationship name, in ascending
    /// order. Some of them may be deleted too. A to-one relationship has at most one.
    public private(set) var related: [String: [RecordID]] = [:]
    /// The journal entries behind these values, the newest first. Entries for properties that the
    /// model does not know are included.
    public let conflicts: [ConflictEntry]

    /// One write of the record.
    private struct Write {
        let property: WireProperty
        let value: PropertyValue
        let stamp: Stamp
        /// True if the value is added to a counter.
        var isAddition = false
        /// True if the value includes every other write.
        var isWhole = false
    }

    init(
        _ conflicts: [ConflictEntry], _ logged: LoggedRecord, of record: RecordID,
        entity: EntityDescription
    ) {
        self.conflicts = conflicts
        self.record = record
        self.entity = entity
        let journalled = conflicts.filter { $0.record == record && !$0.isLink }.map {
            Write(
                property: $0.property, value: $0.value, stamp: $0.lost.stamp,
                isAddition: $0.property.rule == .counter && $0.kind == .writeToDeleted)
        }
        let writes =
            journalled
            + logged.cells.map {
                Write(
                    property: $0.property, value: $0.value, stamp: $0.stamp, isWhole: logged.isWhole
                )
            }
        for (_, writes) in Dictionary(grouping: writes, by: \.property) { gather(writes) }
        for conflict in conflicts where conflict.isLink {
            guard case .reference(let right) = conflict.value else { continue }
            gather(conflict.property, of: conflict.entity, left: conflict.record, right: right)
        }
        for link in logged.links {
            gather(link.property, of: link.entity.string, left: link.left, right: link.right)
        }
    }

    /// True if neither attribute values nor related records were lost.
    public var isEmpty: Bool { attributes.isEmpty && related.isEmpty }

    /// - Parameter writes: Writes of one property; not empty.
    private mutating func gather(_ writes: [Write]) {
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
        guard let property = entity.property(writes[0].property) else { return }
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

    private static func standing(among writes: [Write]) -> PropertyValue {
        let property = writes[0].property
        if property.rule == .counter {
            if let whole = writes.first(where: \.isWhole) { return whole.value }
            let held = writes.first { !$0.isAddition }?.value ?? .null
            return writes.filter(\.isAddition).reduce(held) {
                Counter.sum($0, $1.value, of: property.type)
            }
        }
        return writes.dropFirst().reduce(writes[0]) { held, write in
            let outcome = Register.outcome(
                ofWriting: write.stamp, over: held.stamp, by: property.rule,
                values: { (write.value, held.value) })
            return outcome == .replaces ? write : held
        }.value
    }

    /// - Parameter declaring: The wire name of the entity that declares the link's property.
    private mutating func gather(
        _ property: WireProperty, of declaring: String, left: RecordID, right: RecordID
    ) {
        if left == record, let known = entity.property(property) {
            add(right, to: known.relationship)
        }
        if right == record, left != record {
            let inverse = entity.relationships.first {
                $0.wireProperty == property
                    && $0.storedSide.entity.wireName.string == declaring
                    && ($0 != $0.storedSide || $0.inverse == $0)
            }
            add(left, to: inverse)
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
    /// Returns what is known of a conflict's record, which another replica had deleted. For a
    /// discarded link, the record is the end that was deleted.
    ///
    /// The whole log is read for it.
    ///
    /// - Returns: The discarded values, which are empty if the record was not deleted.
    /// - Throws: ``ConflictError`` with code `unknownProperty` if the model does not know the
    ///   entity; `StoreError`.
    public func discardedValues(of conflict: ConflictEntry) throws -> DiscardedValues {
        checkQueue()
        let record = try deletedRecord(of: conflict)
        let all = try coordinator.conflicts(.record(record)).filter { $0.kind != .concurrentWrite }
        guard let entity = try entity(of: record, toldBy: all, for: conflict) else {
            throw ConflictError(
                .unknownProperty, conflict,
                because: "the model has no such entity; open the store with the model of the "
                    + "replica that wrote it.")
        }
        let logged =
            all.isEmpty ? LoggedRecord() : try coordinator.store.loggedRecord(record)
        return DiscardedValues(all, logged, of: record, entity: entity)
    }

    private func deletedRecord(of conflict: ConflictEntry) throws -> RecordID {
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
        of record: RecordID, toldBy conflicts: [ConflictEntry], for conflict: ConflictEntry
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
    /// Relationships to deleted objects are left out. If the entity requires a value that neither
    /// the journal nor the log has, set it before the save.
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
