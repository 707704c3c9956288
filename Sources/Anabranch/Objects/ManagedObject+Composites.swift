import AnabranchModel
public import AnabranchReplication
import AnabranchStore

// Composite attributes as dictionaries. Their elements are attributes of their own, so every other
// access by name, predicates, `changedValues()` and the store have the elements: `address.city`.
extension ManagedObject {
    /// Returns the elements of a composite attribute by their names.
    ///
    /// The elements of a composite attribute inside it are named by their paths:
    /// `["city": "Bern", "location.latitude": 46.9]`. An element without a value is null. The
    /// elements of the inner one alone are the value of `address.location`.
    ///
    /// - Returns: `nil` if no element has a value.
    /// - Throws: ``PropertyError`` for a name that is not that of a composite attribute;
    ///   `StoreError` if a fault can't be read.
    public final func compositeValue(forKey key: String) throws -> [String: PropertyValue]? {
        try elements(of: try compositeAttribute(named: key))
    }

    /// Sets all elements of a composite attribute.
    ///
    /// - Parameters:
    ///   - elements: The elements by their names, as ``compositeValue(forKey:)`` returns them.
    ///     Elements that are not in it get no value. `nil` removes the values of all elements.
    ///   - key: The name of the composite attribute.
    /// - Throws: The errors of ``setValue(_:forKey:)-(PropertyValue,_)``, also for a name that is
    ///   not that of an element. Nothing has changed then.
    public final func setCompositeValue(_ elements: [String: PropertyValue]?, forKey key: String)
        throws
    {
        try setElements(elements ?? [:], of: try compositeAttribute(named: key))
    }
}

extension ManagedObject {
    final func elements(
        of composite: CompositeAttributeDescription
    ) throws -> [String: PropertyValue]? {
        try fireFaultOrThrow()
        var elements: [String: PropertyValue] = [:]
        var hasValue = false
        for attribute in composite.attributes {
            reportAccess(attribute.slot)
            let value = slots[attribute.slot]
            elements[composite.key(of: attribute)] = value
            hasValue = hasValue || !value.isNull
        }
        return hasValue ? elements : nil
    }

    final func setElements(
        _ elements: [String: PropertyValue], of composite: CompositeAttributeDescription
    ) throws {
        var rest = elements
        let values = try composite.attributes.map { attribute in
            let value = rest.removeValue(forKey: composite.key(of: attribute)) ?? .null
            return (attribute.slot, try fitting(value, attribute))
        }
        if let unknown = rest.keys.min() {
            let names = composite.attributes.map { composite.key(of: $0) }
            throw PropertyError(
                .unknownProperty,
                "Can't set \(composite).\(unknown) because there is no such element; there are "
                    + "\(names.joined(separator: ", ")).",
                property: "\(composite.name).\(unknown)", objectID: objectID)
        }
        for (slot, _) in values { try fireFaultToWrite(slot) }
        for (slot, value) in values { write(value, to: slot) }
    }

    /// The composite attributes around an element that have no value, the outermost first.
    final func compositesWithoutValue(
        around attribute: AttributeDescription
    ) -> [CompositeAttributeDescription] {
        var found: [CompositeAttributeDescription] = []
        var next = entity.compositeAttributes[...]
        while let composite = next.popFirst() {
            guard composite.attributes.contains(attribute) else { continue }
            if composite.attributes.allSatisfy({ slots[$0.slot].isNull }) {
                found.append(composite)
            }
            next = composite.compositeAttributes[...]
        }
        return found
    }

    /// Gives the elements of a composite attribute that has got a value their defaults. Elements
    /// that were set since the last save keep what they have.
    final func writeDefaults(of composite: CompositeAttributeDescription) {
        for attribute in composite.attributesWithDefault
        where !isWritten(attribute.slot) && !slots.isEmpty && slots[attribute.slot].isNull {
            write(attribute.defaultValue, to: attribute.slot)
        }
    }

    private final func compositeAttribute(
        named key: String
    ) throws -> CompositeAttributeDescription {
        if let composite = entity.compositeAttribute(named: key) { return composite }
        _ = try property(named: key)
        throw PropertyError(
            .wrongKind,
            "Can't use \(entity.name).\(key) as a composite attribute because it is none.",
            property: key, objectID: objectID)
    }

    /// The error for a composite attribute that is used as an attribute or a relationship.
    final func refusal(of composite: CompositeAttributeDescription) -> PropertyError {
        let element = composite.attributes.first?.name ?? composite.name
        return PropertyError(
            .wrongKind,
            "Can't use \(composite) as one value because it is a composite attribute; use "
                + "compositeValue(forKey:) for all of it, or an element such as \(element).",
            property: composite.name, objectID: objectID)
    }
}
