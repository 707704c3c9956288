import AnabranchModel
import AnabranchReplication
import AnabranchStore
import Foundation

// Transformable attributes, with values that a transformer stores as bytes. The slot holds the
// bytes, which are also what `value(forKey:)`, `changedValues()`, predicates, the store and the
// sync use.
extension ManagedObject {
    /// The value of the transformable attribute in a slot.
    ///
    /// Each read decodes the bytes again; read the value once before a loop. A change inside an
    /// instance of a class is not noticed: set another instance, or use a value type. Setting a
    /// value with the same bytes is not a change.
    ///
    /// A value that can't be decoded reads nil, and a value that can't be encoded leaves the
    /// property as it was. In both cases the context's next save throws a ``PropertyError`` with
    /// the cause. For other errors see ``subscript(slot:)``.
    public final subscript<T>(transformable slot: Int) -> T? {
        get {
            assert(isOnItsQueue, misuse("read"))
            if !flags.isReadable { prepareToRead(slot) }
            do {
                return try transformed(slots[slot], of: entity.slots[slot], as: T.self)
            } catch {
                managedObjectContext?.keep(error)
                return nil
            }
        }
        set {
            assert(isOnItsQueue, misuse("written"))
            do {
                try setTransformed(newValue, of: entity.slots[slot])
            } catch {
                keep(error)
            }
        }
    }

    /// Returns the value of a transformable attribute; `nil` if it has none.
    ///
    /// - Throws: ``PropertyError``, also with code `wrongKind` for an attribute of another type,
    ///   `unknownTransformer` if the attribute's transformer is not registered, and
    ///   `untransformable` if the bytes are not a value of this type; `StoreError` if a fault
    ///   can't be read.
    public final func transformedValue<T>(
        forKey key: String, as type: T.Type = T.self
    ) throws -> T? {
        let attribute = try attribute(named: key)
        try fireFaultOrThrow()
        reportAccess(attribute.slot)
        return try transformed(slots[attribute.slot], of: .attribute(attribute), as: type)
    }

    /// Sets a transformable attribute; `nil` removes its value.
    ///
    /// - Throws: The errors of ``transformedValue(forKey:as:)`` and of
    ///   ``setValue(_:forKey:)-(PropertyValue,_)``. Nothing has changed then.
    public final func setTransformedValue<T>(_ value: T?, forKey key: String) throws {
        try setTransformed(value, of: .attribute(try attribute(named: key)))
    }
}

extension ManagedObject {
    private final func transformed<T>(
        _ stored: PropertyValue, of property: PropertyDescription, as type: T.Type
    ) throws -> T? {
        let transformation = try transformation(of: property)
        switch stored {
        case .null: return nil
        case .data(let data):
            do {
                return try transformation.value(from: data, as: type)
            } catch let failure as AttributeTransformation.Failure {
                throw error(failure, "read", property)
            }
        default:
            throw PropertyError(
                .wrongType,
                "Can't read \(property.entity.name).\(property.name) as \(T.self) because it is "
                    + "\(stored), which is not binary data.", property: property.name,
                objectID: objectID)
        }
    }

    private final func setTransformed<T>(_ value: T?, of property: PropertyDescription) throws {
        let transformation = try transformation(of: property)
        let bytes: PropertyValue
        do {
            bytes = try value.map { .data(try transformation.data(from: $0)) } ?? .null
        } catch let failure as AttributeTransformation.Failure {
            throw error(failure, "set", property)
        }
        try fireFaultToWrite(property.slot)
        write(bytes, to: property.slot)
    }

    private final func transformation(
        of property: PropertyDescription
    ) throws -> AttributeTransformation {
        if let attribute = property.attribute,
            let transformation = AttributeTransformation(attribute)
        {
            return transformation
        }
        let kind = property.attribute.map { "of type \($0.type)" } ?? "a relationship"
        throw PropertyError(
            .wrongKind,
            "Can't use \(entity.name).\(property.name) as a transformable attribute because it is "
                + "\(kind).", property: property.name, objectID: objectID)
    }

    private final func error(
        _ failure: AttributeTransformation.Failure, _ verb: String, _ property: PropertyDescription
    ) -> PropertyError {
        PropertyError(
            failure.code,
            "Can't \(verb) \(property.name) of \(objectID) because \(failure.cause).",
            property: property.name, objectID: objectID, underlying: failure.underlying)
    }
}
