import AnabranchModel
import AnabranchReplication
public import AnabranchStore

extension ManagedObjectContext {
    /// Writes a losing value back into its object. The result is an ordinary unsaved change, which
    /// the next save sends to every replica as a write that is causally later than both values.
    ///
    /// An attribute or a to-one relationship gets the value. An attribute group gets the values of
    /// all its members, including members that the model does not know. A discarded link is added
    /// again. The journal entry stays until it is purged.
    ///
    /// - Parameter conflict: The entry of the conflict journal.
    /// - Returns: The object.
    /// - Throws: ``ConflictError`` with code `recordDeleted`, `targetDeleted`, `cannotWin` or
    ///   `unknownProperty`; ``PropertyError`` if the object refuses the value; `StoreError`.
    ///   Nothing has changed then.
    @discardableResult
    public func restore(_ conflict: ConflictEntry) throws -> ManagedObject {
        checkQueue()
        let object = try object(of: conflict)
        if let group = object.entity.attributeGroup(conflict.property) {
            try setGroup(group, of: object, to: conflict.value)
            return object
        }
        if let (attribute, value) = object.entity.attribute(
            showing: conflict.value, of: conflict.property)
        {
            try object.setValue(value, forKey: attribute.name)
            return object
        }
        guard let property = object.entity.property(of: conflict) else {
            throw ConflictError(
                .unknownProperty, conflict,
                because: "the model has no such property of that type and rule; open the store "
                    + "with the model of the replica that wrote it.")
        }
        try checkCanWin(conflict)
        switch property {
        case .attribute(let attribute):
            try object.setValue(conflict.value, forKey: attribute.name)
        case .relationship(let relationship):
            try restore(conflict, into: object, relationship)
        }
        return object
    }

    private func object(of conflict: ConflictEntry) throws -> ManagedObject {
        guard let id = try coordinator.managedObjectID(of: conflict) else {
            throw ConflictError(
                .unknownProperty, conflict,
                because: "the model has no such entity; open the store with the model of the "
                    + "replica that wrote it.")
        }
        do {
            let object = try existingObject(with: id)
            guard !object.isDeleted else { throw recordDeleted(conflict) }
            return object
        } catch let error as PropertyError where error.code == .inaccessible {
            throw recordDeleted(conflict, underlying: error)
        }
    }

    private func recordDeleted(
        _ conflict: ConflictEntry, underlying: PropertyError? = nil
    ) -> ConflictError {
        ConflictError(
            .recordDeleted, conflict,
            because: "the record \(conflict.record) is deleted and does not come back; insert "
                + "a new object from its discarded values.", underlying: underlying)
    }

    private func checkCanWin(_ conflict: ConflictEntry) throws {
        let cause: String
        switch conflict.property.rule {
        case .firstWriter: cause = "its merge rule keeps the first write."
        case .max, .min:
            cause = "its merge rule keeps the \(conflict.property.rule) of all writes."
        case .counter: cause = "every write of a counter adds to it, and so none loses."
        default: return
        }
        throw ConflictError(.cannotWin, conflict, because: cause)
    }

    private func restore(
        _ conflict: ConflictEntry, into object: ManagedObject,
        _ relationship: RelationshipDescription
    ) throws {
        guard let record = ListEntry.target(of: conflict.value) else {
            return try setTarget(of: object, by: relationship, to: nil)
        }
        guard let target = try existingTarget(record, of: relationship) else {
            throw ConflictError(
                .targetDeleted, conflict,
                because: "the record \(record), to which it pointed, is deleted; set it to another "
                    + "object.")
        }
        if relationship.isToMany {
            try insert(target, into: object, relationship)
        } else {
            try setTarget(of: object, by: relationship, to: target)
        }
    }
}

extension EntityDescription {
    /// Returns the property of a conflict. For a relationship, this is the stored side.
    func property(of conflict: ConflictEntry) -> PropertyDescription? {
        property(conflict.property)
    }

    /// Returns the attribute that shows the values of a former property, which has another type or
    /// merge rule, and a value as it shows it.
    func attribute(
        showing value: PropertyValue, of former: WireProperty
    ) -> (attribute: AttributeDescription, value: PropertyValue)? {
        for case .attribute(let attribute) in slots
        where !attribute.isTransient && !attribute.isDerived && attribute.group == nil
            && attribute.wireProperty.continues(former)
        {
            return attribute.type.wireType.widened(value, of: former.type).map { (attribute, $0) }
        }
        return nil
    }

    /// Returns the property with a wire property that is not a group. For a relationship, this is
    /// the stored side.
    func property(_ wireProperty: WireProperty) -> PropertyDescription? {
        slots.first { property in
            guard property.wireProperty == wireProperty, !property.isTransient else {
                return false
            }
            switch property {
            case .attribute(let attribute): return !attribute.isDerived && attribute.group == nil
            case .relationship(let relationship):
                return relationship == relationship.storedSide
            }
        }
    }
}
