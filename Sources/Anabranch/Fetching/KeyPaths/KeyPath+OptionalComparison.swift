public import AnabranchModel

// Comparisons of a property that always has a value with an optional one, such as one behind a
// to-one relationship: `\.age > \.boss?.age`.

/// Holds if an optional property has a value, and a property is equal to it.
@_disfavoredOverload
public func == <Object: ManagedObject, Value: PredicateArgument>(
    property: KeyPath<Object, Value>, other: KeyPath<Object, Value?>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.equal, ObjectExpression(other))
}

/// Holds if an optional property has a value that is equal to a property.
@_disfavoredOverload
public func == <Object: ManagedObject, Value: PredicateArgument>(
    property: KeyPath<Object, Value?>, other: KeyPath<Object, Value>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.equal, ObjectExpression(other))
}

/// Holds if a property is not equal to an optional property, exactly where `==` does not hold.
@_disfavoredOverload
public func != <Object: ManagedObject, Value: PredicateArgument>(
    property: KeyPath<Object, Value>, other: KeyPath<Object, Value?>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.notEqual, ObjectExpression(other))
}

/// Holds if an optional property is not equal to a property, exactly where `==` does not hold.
@_disfavoredOverload
public func != <Object: ManagedObject, Value: PredicateArgument>(
    property: KeyPath<Object, Value?>, other: KeyPath<Object, Value>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.notEqual, ObjectExpression(other))
}

/// Holds if an optional property has a value, and a property is less than it.
@_disfavoredOverload
public func < <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value>, other: KeyPath<Object, Value?>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.less, ObjectExpression(other))
}

/// Holds if an optional property has a value that is less than a property.
@_disfavoredOverload
public func < <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value?>, other: KeyPath<Object, Value>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.less, ObjectExpression(other))
}

/// Holds if an optional property has a value, and a property is less than or equal to it.
@_disfavoredOverload
public func <= <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value>, other: KeyPath<Object, Value?>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.lessOrEqual, ObjectExpression(other))
}

/// Holds if an optional property has a value that is less than or equal to a property.
@_disfavoredOverload
public func <= <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value?>, other: KeyPath<Object, Value>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.lessOrEqual, ObjectExpression(other))
}

/// Holds if an optional property has a value, and a property is greater than it.
@_disfavoredOverload
public func > <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value>, other: KeyPath<Object, Value?>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.greater, ObjectExpression(other))
}

/// Holds if an optional property has a value that is greater than a property.
@_disfavoredOverload
public func > <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value?>, other: KeyPath<Object, Value>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.greater, ObjectExpression(other))
}

/// Holds if an optional property has a value, and a property is greater than or equal to it.
@_disfavoredOverload
public func >= <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value>, other: KeyPath<Object, Value?>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.greaterOrEqual, ObjectExpression(other))
}

/// Holds if an optional property has a value that is greater than or equal to a property.
@_disfavoredOverload
public func >= <Object: ManagedObject, Value: OrderedArgument>(
    property: KeyPath<Object, Value?>, other: KeyPath<Object, Value>
) -> ObjectPredicate<Object> {
    ObjectExpression(property).compared(.greaterOrEqual, ObjectExpression(other))
}
