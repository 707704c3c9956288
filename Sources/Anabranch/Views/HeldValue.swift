import AnabranchModel
public import AnabranchReplication
public import AnabranchStore

/// A value of an attribute that a store holds for an object, in the type of the object's class.
public struct HeldValue<Content: AttributeValue> {
    /// The value.
    public let value: Content
    /// The record that holds the value: the object's own record, or a merged duplicate.
    public let record: RecordID
    /// The author and the time of the write.
    public let write: ConflictEntry.Write
}

extension HeldValue: Sendable where Content: Sendable {}
extension HeldValue: Equatable where Content: Equatable {}

extension PredicateObject where Self: ManagedObject {
    /// Returns the values of an attribute that the store holds for this object, the latest first,
    /// whether the object shows them or not.
    ///
    /// ```swift
    /// for text in try note.values(of: \.text) { print(text.write.author, text.value) }
    /// ```
    ///
    /// These are all values that a property with the merge rule `keepBoth` keeps, and the values of
    /// each record if the object shows several records with one unique key. Unsaved changes are not
    /// included. ``ManagedObjectContext/heldWrites(of:forKey:)`` returns the same by the
    /// attribute's name.
    ///
    /// - Parameter keyPath: A key path to a stored attribute, also to an element of a composite
    ///   attribute.
    /// - Throws: `FetchPredicateError` with code `notAProperty` for a key path that is not a stored
    ///   property; ``PropertyError`` with code `wrongType` if the type can't hold a value, and with
    ///   code `wrongKind` for a property without writes of its own; `StoreError`.
    public func values<Content: AttributeValue>(
        of keyPath: KeyPath<Self, Content>
    ) throws -> [HeldValue<Content>] {
        let key = try PropertyPath(keyPath, of: Self.self).keys.joined(separator: ".")
        let attribute = entity.property(named: key)?.attribute
        return try context(for: key).heldWrites(of: objectID, forKey: key).map { held in
            let value = attribute?.value(in: held.value) ?? held.value
            guard let content = value.isNull ? Content.absent : Content.reading(value) else {
                throw PropertyError(
                    .wrongType,
                    "Can't read \(entity.name).\(key) as \(Content.self) because it is \(value).",
                    property: key, objectID: objectID)
            }
            return HeldValue(value: content, record: held.record, write: held.write)
        }
    }
}

extension AttributeDescription {
    /// The attribute's own value in the value of its attribute group.
    fileprivate func value(in value: PropertyValue) -> PropertyValue {
        guard let group else { return value }
        return zip(group.members, group.values(in: value)).first { $0.0.attribute === self }?.1
            ?? .null
    }
}
