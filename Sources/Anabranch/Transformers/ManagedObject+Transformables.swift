import AnabranchModel
import AnabranchReplication
import AnabranchStore
import Foundation

// Attributes whose values a transformer turns into bytes. A slot has the bytes; so do
// `value(forKey:)`, `changedValues()`, predicates and everything that is stored or sent.
extension ManagedObject {
    /// The value of the transformable attribute in a slot.
    ///
    /// Reading makes a value of the bytes each time, so a loop reads it once and keeps it. What is
    /// changed inside an instance of a class is not noticed: set another instance, or use a value
    /// type. Setting an equal value is no change where it has the same bytes.
    ///
    /// What can't be turned into a value reads nil, and what can't be turned into bytes leaves the
    /// property as it was; the context's next save throws a ``PropertyError`` that says why. All
    /// else is as with ``subscript(slot:)``.
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

    /// The value of a transformable attribute; `nil` where it has none.
    ///
    /// - Throws: ``PropertyError``: also `wrongKind` for an attribute of another type,
    ///   `unknownTransformer` where the attribute's transformer is not registered, and
    ///   `untransformable` where the bytes are no value of this type; ``StoreError`` where a fault
    ///   can't be read.
    public final func transformedValue<T>(
        forKey key: String, as type: T.Type = T.self
    ) throws -> T? {
        let attribute = try attribute(named: key)
        try realiseOrThrow()
        noteAccess(attribute.slot)
        return try transformed(slots[attribute.slot], of: .attribute(attribute), as: type)
    }

    /// Sets a transformable attribute; `nil` leaves it without a value.
    ///
    /// - Throws: As ``transformedValue(forKey:as:)``, and as ``setValue(_:forKey:)-(Value,_)``.
    ///   Nothing has changed then.
    public final func setTransformedValue<T>(_ value: T?, forKey key: String) throws {
        try setTransformed(value, of: .attribute(try attribute(named: key)))
    }
}

extension ManagedObject {
    private final func transformed<T>(
        _ stored: Value, of property: PropertyDescription, as type: T.Type
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
                    + "\(stored), and no bytes.", property: property.name, objectID: objectID)
        }
    }

    private final func setTransformed<T>(_ value: T?, of property: PropertyDescription) throws {
        let transformation = try transformation(of: property)
        let bytes: Value
        do {
            bytes = try value.map { .data(try transformation.data(from: $0)) } ?? .null
        } catch let failure as AttributeTransformation.Failure {
            throw error(failure, "set", property)
        }
        try realiseToWrite(property.slot)
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
