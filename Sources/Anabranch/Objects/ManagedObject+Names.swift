import AnabranchModel
public import AnabranchReplication
import AnabranchStore

// Access to properties by name, for entities without a class and for programs that compute their
// keys.
extension ManagedObject {
    /// Returns an attribute's value, which is `null` if the attribute has none.
    ///
    /// - Throws: ``PropertyError`` for an unknown name or a relationship; `StoreError` if a fault
    ///   can't be read.
    public final func value(forKey key: String) throws -> PropertyValue {
        let attribute = try attribute(named: key)
        try fireFaultOrThrow()
        reportAccess(attribute.slot)
        return slots[attribute.slot]
    }

    /// Returns an attribute's value as a Swift type: `let age: Int = try person.value(forKey:
    /// "age")`.
    ///
    /// - Throws: The errors of ``value(forKey:)-(String)``; also ``PropertyError`` with code
    ///   `wrongType` if the type can't hold the value, for example null in a type that is not
    ///   optional, and with code `unknownValue` if an enum has no case of the value.
    public final func value<T: AttributeValue>(
        forKey key: String, as type: T.Type = T.self
    ) throws -> T {
        let value = try value(forKey: key)
        guard let result = T.reading(value) else {
            if T.attributeType.accepts(value), !value.isNull {
                throw unknownValue(value, of: key, T.self)
            }
            throw PropertyError(
                .wrongType, "Can't read \(entity.name).\(key) as \(T.self) because it is \(value).",
                property: key, objectID: objectID)
        }
        return result
    }

    /// Sets an attribute.
    ///
    /// - Parameters:
    ///   - value: The new value. It is converted to the attribute's type if that loses nothing.
    ///   - key: The name of the attribute. If it is an element of a composite attribute that had no
    ///     value, the other elements get their defaults, unless they were set since the last save.
    /// - Throws: ``PropertyError`` for an unknown name, a relationship or a value that does not
    ///   fit, and with code `inaccessible` for an object that is deleted or has lost its context;
    ///   `StoreError` if a fault can't be read. Nothing has changed then.
    public final func setValue(_ value: PropertyValue, forKey key: String) throws {
        let attribute = try attribute(named: key)
        let fitting = try fitting(value, attribute)
        try fireFaultToWrite(attribute.slot)
        let begun =
            attribute.isElement && !fitting.isNull ? compositesWithoutValue(around: attribute) : []
        write(fitting, to: attribute.slot)
        for composite in begun { writeDefaults(of: composite) }
    }

    final func fitting(_ value: PropertyValue, _ attribute: AttributeDescription) throws
        -> PropertyValue
    {
        guard let fitting = attribute.type.coerce(value), attribute.type.accepts(fitting) else {
            let key = attribute.name
            throw PropertyError(
                .wrongType,
                "Can't set \(entity.name).\(key) to \(value) because its type is "
                    + "\(attribute.type).",
                property: key, objectID: objectID)
        }
        return fitting
    }

    /// Sets an attribute to a value of a Swift type.
    ///
    /// - Throws: The errors of ``setValue(_:forKey:)-(PropertyValue,_)``; also ``PropertyError``
    ///   with code `unrepresentable` for a value that no attribute can store exactly.
    public final func setValue(_ value: some AttributeValue, forKey key: String) throws {
        let converted: PropertyValue
        do {
            converted = try value.attributeValue
        } catch {
            throw refusal(error, of: key)
        }
        try setValue(converted, forKey: key)
    }

    /// An attribute's value by name: `person["age"] = 42`.
    ///
    /// It reads null for an object of a context that was reset, and for a fault of a deallocated
    /// context; a value that was read before stays readable. A change of such an object is refused
    /// in the same way as by the setter of a class.
    ///
    /// A subscript with a setter can't throw. If reading or setting fails, the context's next save
    /// throws the error of ``value(forKey:)-(String)`` or
    /// ``setValue(_:forKey:)-(PropertyValue,_)``. That save writes nothing.
    public final subscript(key: String) -> PropertyValue {
        get {
            do {
                return try value(forKey: key)
            } catch {
                managedObjectContext?.keep(error)
                return .null
            }
        }
        set {
            do {
                try setValue(newValue, forKey: key)
            } catch {
                keep(error)
            }
        }
    }
}

extension ManagedObject {
    /// Returns the object at the other end of a to-one relationship.
    ///
    /// - Throws: ``PropertyError`` for a name that is not that of a to-one relationship;
    ///   `StoreError`.
    public final func object(forKey key: String) throws -> ManagedObject? {
        let relationship = try relationship(named: key, isToMany: false)
        reportAccess(relationship.slot)
        return try context(for: key).targetOrThrow(of: self, by: relationship)
    }

    /// Sets a to-one relationship and its inverse.
    ///
    /// - Throws: ``PropertyError``, `StoreError`. Nothing has changed then.
    public final func setObject(_ object: ManagedObject?, forKey key: String) throws {
        let relationship = try relationship(named: key, isToMany: false)
        try context(for: key).setTarget(of: self, by: relationship, to: object)
    }

    /// Returns the objects at the other end of a to-many relationship, as a live view.
    ///
    /// - Throws: ``PropertyError`` for a name that is not that of a to-many relationship.
    public final func objects(forKey key: String) throws -> ManagedObjectSet<ManagedObject> {
        ManagedObjectSet(owner: self, slot: try relationship(named: key, isToMany: true).slot)
    }

    /// Returns the objects at the other end of an ordered to-many relationship in their order, as
    /// a live view.
    ///
    /// - Throws: ``PropertyError`` for a name that is not that of an ordered to-many relationship.
    public final func list(forKey key: String) throws -> ManagedObjectList<ManagedObject> {
        let relationship = try relationship(named: key, isToMany: true)
        guard relationship.isOrdered else {
            throw PropertyError(
                .wrongKind,
                "Can't use \(entity.name).\(key) as a list because it is not ordered.",
                property: key, objectID: objectID)
        }
        return ManagedObjectList(owner: self, slot: relationship.slot)
    }

    /// Returns the IDs of the objects at the other end of a relationship: at most one for a
    /// to-one, in ascending order for a to-many, and in the relationship's order if it is ordered.
    ///
    /// - Throws: ``PropertyError`` for an unknown name or an attribute; `StoreError`.
    public final func objectIDs(
        forRelationshipNamed key: String
    ) throws -> [ManagedObjectID] {
        let relationship = try relationship(named: key)
        return try context(for: key).targetIDs(of: self, by: relationship)
    }

    /// Returns true if the other end of a relationship has not been read from the store yet.
    ///
    /// - Throws: ``PropertyError`` for an unknown name or an attribute.
    public final func hasFault(forRelationshipNamed key: String) throws -> Bool {
        let relationship = try relationship(named: key)
        guard let index = home.plan.relationIndex(of: relationship) else { return isFault }
        return relations?.states[index].members == nil && !flags.contains(.inserted)
    }
}

extension ManagedObject {
    final func property(named key: String) throws -> PropertyDescription {
        guard let property = entity.property(named: key) else {
            if let composite = entity.compositeAttribute(named: key) {
                throw refusal(of: composite)
            }
            throw PropertyError(
                .unknownProperty,
                "Can't use \(entity.name).\(key) because there is no such "
                    + "property; there are \(entity.slots.map(\.name).joined(separator: ", ")).",
                property: key, objectID: objectID)
        }
        return property
    }

    final func attribute(named key: String) throws -> AttributeDescription {
        guard let attribute = try property(named: key).attribute else {
            throw PropertyError(
                .wrongKind,
                "Can't use \(entity.name).\(key) as an attribute because it is a "
                    + "relationship.", property: key, objectID: objectID)
        }
        return attribute
    }

    private final func relationship(
        named key: String, isToMany: Bool? = nil
    ) throws -> RelationshipDescription {
        guard let relationship = try property(named: key).relationship else {
            throw PropertyError(
                .wrongKind,
                "Can't use \(entity.name).\(key) as a relationship because it is an "
                    + "attribute.", property: key, objectID: objectID)
        }
        guard isToMany == nil || isToMany == relationship.isToMany else {
            throw PropertyError(
                .wrongKind,
                "Can't use \(entity.name).\(key) as a "
                    + "to-\(relationship.isToMany ? "one" : "many") relationship because it is a "
                    + "to-\(relationship.isToMany ? "many" : "one") relationship.",
                property: key, objectID: objectID)
        }
        return relationship
    }

    final func context(for key: String) throws -> ManagedObjectContext {
        guard let context = managedObjectContext else {
            throw PropertyError(
                .inaccessible,
                "Can't use \(entity.name).\(key) because the object's context has forgotten it.",
                property: key, objectID: objectID)
        }
        return context
    }
}
