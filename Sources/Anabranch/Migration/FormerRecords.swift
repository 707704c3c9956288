public import AnabranchModel
public import AnabranchReplication
import AnabranchStore

/// The records of a store as the version before a custom stage had them.
///
/// A store never loses what a new version of the model lacks: values of removed properties and
/// records of removed entities stay in the file. So a stage can read them, also when it runs again
/// after the end of a process.
public struct FormerRecords: Sendable {
    /// The model before the stage.
    package let model: ManagedObjectModel
    private let store: Store

    init(_ store: Store, model: ManagedObjectModel) {
        self.store = store
        self.model = model
    }

    /// Returns the former value of an object's attribute as a Swift type.
    ///
    /// An object without a former record, such as one that the stage has inserted, has the value
    /// null.
    ///
    /// - Throws: ``PropertyError`` as ``Record/value(forKey:as:)`` throws it; `StoreError`.
    public func value<T: AttributeValue>(
        forKey key: String, of object: ManagedObject, as type: T.Type = T.self
    ) throws -> T {
        if let record = try record(of: object) { return try record.value(forKey: key) }
        guard let none = T.reading(.null) else {
            throw PropertyError(
                .wrongType,
                "Can't read the former \(key) as \(T.self) because the object had no record.",
                property: key, objectID: object.objectID)
        }
        return none
    }

    /// Returns the record of an object as it was.
    ///
    /// - Returns: `nil` if the object has not been saved, or was deleted.
    /// - Throws: `StoreError`.
    public func record(of object: ManagedObject) throws -> Record? {
        try record(object.objectID.recordID)
    }

    /// Returns a record as it was.
    ///
    /// - Returns: `nil` if the store does not have the record, or its entity is none of the former
    ///   model's.
    /// - Throws: `StoreError`.
    public func record(_ id: RecordID) throws -> Record? {
        try store.canonicalRecord(id).flatMap { Record($0, in: model) }
    }

    /// Returns the records of an entity and its sub-entities as they were, ordered by their IDs.
    ///
    /// It reads the whole store. Use it for entities that the new version lacks.
    ///
    /// - Parameter name: The name of the entity in the former model.
    /// - Throws: ``PropertyError`` with code `unknownEntity`; `StoreError`.
    public func records(ofEntityNamed name: String) throws -> [Record] {
        guard let entity = model.entity(named: name) else {
            throw PropertyError(
                .unknownEntity,
                "Can't read the records of '\(name)' because the version before the stage has no "
                    + "such entity.", entity: name)
        }
        let names = Set(entity.hierarchy.map(\.wireName))
        return try store.canonicalRecords(of: names).compactMap { Record($0, in: model) }
    }
}

extension FormerRecords {
    /// One record as the version before a custom stage had it.
    public struct Record: Sendable {
        /// The entity in the former model.
        public let entity: EntityDescription
        private let state: CanonicalRecord

        /// The identity of the record, which the migration does not change.
        public var id: RecordID { state.id }

        init?(_ state: CanonicalRecord, in model: ManagedObjectModel) {
            guard let entity = model.entity(wireName: state.entity) else { return nil }
            self.entity = entity
            self.state = state
        }

        /// Returns the former value of an attribute, which is `null` if it had none.
        ///
        /// - Throws: ``PropertyError`` for an unknown name, a relationship, or an attribute that is
        ///   transient or derived.
        public func value(forKey key: String) throws -> PropertyValue {
            guard let attribute = try property(key).attribute, attribute.isStored else {
                throw wrongKind(key, "it was no stored attribute.")
            }
            guard let group = attribute.group else {
                return attribute.shown(value(of: attribute.wireProperty))
            }
            let values = group.values(in: value(of: group.wireProperty))
            return zip(group.members, values).first { $0.0.attribute == attribute }?.1 ?? .null
        }

        /// Returns the former value of an attribute as a Swift type.
        ///
        /// - Throws: The errors of ``value(forKey:)``; also ``PropertyError`` with code `wrongType`
        ///   if the type can't hold the value.
        public func value<T: AttributeValue>(forKey key: String, as type: T.Type = T.self) throws
            -> T
        {
            let value: PropertyValue = try value(forKey: key)
            guard let result = T.reading(value) else {
                throw PropertyError(
                    .wrongType,
                    "Can't read \(entity.name).\(key) as \(T.self) because it was \(value).",
                    entity: entity.name, property: key)
            }
            return result
        }

        /// Returns the record to which a to-one relationship referred.
        ///
        /// - Throws: ``PropertyError`` for an unknown name, or for a relationship that is not a
        ///   to-one that was stored in this record. A to-one can be stored at its other end.
        public func target(forKey key: String) throws -> RecordID? {
            let relationship = try relationship(key)
            guard relationship.storage == .reference else { throw storedElsewhere(relationship) }
            switch value(of: relationship.wireProperty) {
            case .reference(let record)?: return record
            case .some(let value): return ListEntry(value)?.target
            case nil: return nil
            }
        }

        /// Returns the records to which a to-many relationship referred.
        ///
        /// - Throws: ``PropertyError`` for an unknown name, or for a relationship that is not a
        ///   many-to-many that was stored in this record.
        public func targets(forKey key: String) throws -> Set<RecordID> {
            let relationship = try relationship(key)
            guard relationship.storage == .links(.left) else { throw storedElsewhere(relationship) }
            return Set(state.links.filter { $0.property == relationship.wireProperty }.map(\.right))
        }

        /// The last write of a property; `nil` if it was never written.
        private func value(of property: WireProperty) -> PropertyValue? {
            state.cells.filter { $0.property == property }.max { $0.stamp < $1.stamp }?.value
        }

        private func property(_ key: String) throws -> PropertyDescription {
            guard let property = entity.property(named: key) else {
                throw PropertyError(
                    .unknownProperty,
                    "Can't read \(entity.name).\(key) because the version before the stage has no "
                        + "such property; there are "
                        + "\(entity.slots.map(\.name).joined(separator: ", ")).",
                    entity: entity.name, property: key)
            }
            return property
        }

        private func relationship(_ key: String) throws -> RelationshipDescription {
            guard let relationship = try property(key).relationship else {
                throw wrongKind(key, "it was an attribute.")
            }
            return relationship
        }

        private func storedElsewhere(_ relationship: RelationshipDescription) -> PropertyError {
            wrongKind(
                relationship.name,
                "it was stored as \(relationship.storedSide), "
                    + (relationship.storedSide.isToMany ? "a to-many." : "a to-one.")
                    + " Read it from there.")
        }

        private func wrongKind(_ key: String, _ cause: String) -> PropertyError {
            PropertyError(
                .wrongKind, "Can't read \(entity.name).\(key) in this way because \(cause)",
                entity: entity.name, property: key)
        }
    }
}
