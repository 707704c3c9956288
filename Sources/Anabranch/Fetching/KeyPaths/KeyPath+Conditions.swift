import AnabranchModel

// A property that is true or false is a condition by itself beside another one and after `!`:
// `\.isActive && \.age > 18`, `!\.isActive`.

/// Holds if a property is not true.
@_disfavoredOverload
public prefix func ! <Object: ManagedObject>(
    property: KeyPath<Object, Bool>
) -> ObjectPredicate<Object> { !(property == true) }

/// Holds if an optional property is not true, also if it has no value.
@_disfavoredOverload
public prefix func ! <Object: ManagedObject>(
    property: KeyPath<Object, Bool?>
) -> ObjectPredicate<Object> { !(property == true) }

/// Holds if a property is true and a predicate holds.
@_disfavoredOverload
public func && <Object: ManagedObject>(
    property: KeyPath<Object, Bool>, predicate: ObjectPredicate<Object>
) -> ObjectPredicate<Object> { property == true && predicate }

/// Holds if a predicate holds and a property is true.
@_disfavoredOverload
public func && <Object: ManagedObject>(
    predicate: ObjectPredicate<Object>, property: KeyPath<Object, Bool>
) -> ObjectPredicate<Object> { predicate && property == true }

/// Holds if two properties are true.
@_disfavoredOverload
public func && <Object: ManagedObject>(
    property: KeyPath<Object, Bool>, other: KeyPath<Object, Bool>
) -> ObjectPredicate<Object> { property == true && other == true }

/// Holds if a property is true or a predicate holds.
@_disfavoredOverload
public func || <Object: ManagedObject>(
    property: KeyPath<Object, Bool>, predicate: ObjectPredicate<Object>
) -> ObjectPredicate<Object> { property == true || predicate }

/// Holds if a predicate holds or a property is true.
@_disfavoredOverload
public func || <Object: ManagedObject>(
    predicate: ObjectPredicate<Object>, property: KeyPath<Object, Bool>
) -> ObjectPredicate<Object> { predicate || property == true }

/// Holds if one of two properties is true.
@_disfavoredOverload
public func || <Object: ManagedObject>(
    property: KeyPath<Object, Bool>, other: KeyPath<Object, Bool>
) -> ObjectPredicate<Object> { property == true || other == true }
