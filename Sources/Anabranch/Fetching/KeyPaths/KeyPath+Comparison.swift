public import AnabranchModel

// Comparisons of key paths. They are functions instead of static members of a type, because Swift
// infers the root of a key path literal from them.
//
// The compiler tries the forms of every operator in a condition together. So those of a property
// and a value, which are the usual ones, come before the disfavored ones of other sides, and each
// operator has one of them, for optional properties too. A value of a wrong type has a form as
// well: without one, the compiler would look for a mistake in all forms.

/// Holds if a property is equal to a value; `nil` finds objects without a value.
public func == <Object: ManagedObject, Value: PredicateArgument>(
    property: KeyPath<Object, Value>, value: Value
) -> ObjectPredicate<Object> { ObjectExpression(property).compared(.equal, value) }

/// Holds if a property is equal to another property.
@_disfavoredOverload
public func == <Object: ManagedObject, Value: PredicateArgument>(
    property: KeyPath<Object, Value>, other: KeyPath<Object, Value>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.equal, ObjectExpression(other))
}

/// Holds if a computed value is equal to a value.
@_disfavoredOverload
public func == <Object: ManagedObject, Value: PredicateArgument>(
    left: ObjectExpression<Object, Value>, value: Value
) -> ObjectPredicate<Object> { left.compared(.equal, value) }

/// Holds if a property is not equal to a value, exactly where `==` does not hold.
public func != <Object: ManagedObject, Value: PredicateArgument>(
    property: KeyPath<Object, Value>, value: Value
) -> ObjectPredicate<Object> { ObjectExpression(property).compared(.notEqual, value) }

/// Holds if a property is not equal to another property.
@_disfavoredOverload
public func != <Object: ManagedObject, Value: PredicateArgument>(
    property: KeyPath<Object, Value>, other: KeyPath<Object, Value>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.notEqual, ObjectExpression(other))
}

/// Holds if a computed value is not equal to a value.
@_disfavoredOverload
public func != <Object: ManagedObject, Value: PredicateArgument>(
    left: ObjectExpression<Object, Value>, value: Value
) -> ObjectPredicate<Object> { left.compared(.notEqual, value) }

/// Holds if a property has a value that is less than a value, by the order of
/// the store.
public func < <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value>, value: Value
) -> ObjectPredicate<Object> { ObjectExpression(property).compared(.less, value) }

/// Holds if two properties have values, and the first is less than the second.
@_disfavoredOverload
public func < <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value>, other: KeyPath<Object, Value>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.less, ObjectExpression(other))
}

/// Holds if there is a computed value, and it is less than a value.
@_disfavoredOverload
public func < <Object: ManagedObject, Value: OrderedArgument>(
    left: ObjectExpression<Object, Value>, value: Value
) -> ObjectPredicate<Object> { left.compared(.less, value) }

/// Holds if a property has a value that is less than or equal to a value, by the order of
/// the store.
public func <= <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value>, value: Value
) -> ObjectPredicate<Object> { ObjectExpression(property).compared(.lessOrEqual, value) }

/// Holds if two properties have values, and the first is less than or equal to the second.
@_disfavoredOverload
public func <= <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value>, other: KeyPath<Object, Value>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.lessOrEqual, ObjectExpression(other))
}

/// Holds if there is a computed value, and it is less than or equal to a value.
@_disfavoredOverload
public func <= <Object: ManagedObject, Value: OrderedArgument>(
    left: ObjectExpression<Object, Value>, value: Value
) -> ObjectPredicate<Object> { left.compared(.lessOrEqual, value) }

/// Holds if a property has a value that is greater than a value, by the order of
/// the store.
public func > <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value>, value: Value
) -> ObjectPredicate<Object> { ObjectExpression(property).compared(.greater, value) }

/// Holds if two properties have values, and the first is greater than the second.
@_disfavoredOverload
public func > <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value>, other: KeyPath<Object, Value>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.greater, ObjectExpression(other))
}

/// Holds if there is a computed value, and it is greater than a value.
@_disfavoredOverload
public func > <Object: ManagedObject, Value: OrderedArgument>(
    left: ObjectExpression<Object, Value>, value: Value
) -> ObjectPredicate<Object> { left.compared(.greater, value) }

/// Holds if a property has a value that is greater than or equal to a value, by the order of
/// the store.
public func >= <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value>, value: Value
) -> ObjectPredicate<Object> { ObjectExpression(property).compared(.greaterOrEqual, value) }

/// Holds if two properties have values, and the first is greater than or equal to the second.
@_disfavoredOverload
public func >= <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value>, other: KeyPath<Object, Value>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.greaterOrEqual, ObjectExpression(other))
}

/// Holds if there is a computed value, and it is greater than or equal to a value.
@_disfavoredOverload
public func >= <Object: ManagedObject, Value: OrderedArgument>(
    left: ObjectExpression<Object, Value>, value: Value
) -> ObjectPredicate<Object> { left.compared(.greaterOrEqual, value) }

extension Sequence where Element: PredicateArgument {
    /// Holds if the value of a property is in the sequence: `["Bern", "Biel"].contains(\.city)`.
    public func contains<Object: ManagedObject>(
        _ property: KeyPath<Object, Element>
    ) -> ObjectPredicate<Object> {
        ObjectExpression(property).compared(.isIn, Array(self))
    }

    /// Holds if an optional property has a value that is in the sequence.
    public func contains<Object: ManagedObject>(
        _ property: KeyPath<Object, Element?>
    ) -> ObjectPredicate<Object> {
        ObjectExpression(property).compared(.isIn, Array(self))
    }
}

extension ClosedRange where Bound: PredicateArgument {
    /// Holds if the value of a property is in the range: `(18...30).contains(\.age)`.
    public func contains<Object: ManagedObject>(
        _ property: KeyPath<Object, Bound>
    ) -> ObjectPredicate<Object> {
        ObjectExpression(property).compared(.between, [lowerBound, upperBound])
    }

    /// Holds if an optional property has a value that is in the range.
    public func contains<Object: ManagedObject>(
        _ property: KeyPath<Object, Bound?>
    ) -> ObjectPredicate<Object> {
        ObjectExpression(property).compared(.between, [lowerBound, upperBound])
    }
}

extension Range where Bound: PredicateArgument {
    /// Holds if the value of a property is in the range: `(18..<30).contains(\.age)`.
    public func contains<Object: ManagedObject>(
        _ property: KeyPath<Object, Bound>
    ) -> ObjectPredicate<Object> {
        let value = ObjectExpression(property)
        return value.compared(.greaterOrEqual, lowerBound) && value.compared(.less, upperBound)
    }

    /// Holds if an optional property has a value that is in the range.
    public func contains<Object: ManagedObject>(
        _ property: KeyPath<Object, Bound?>
    ) -> ObjectPredicate<Object> {
        let value = ObjectExpression(property)
        return value.compared(.greaterOrEqual, lowerBound) && value.compared(.less, upperBound)
    }
}
