public import AnabranchModel
public import Foundation

// Comparisons of a property with a value of another type. The conformance that they need is
// unavailable, so the compiler reports it at the operator. Comparisons that are themselves
// unavailable would not do: the compiler tries them only after it has failed with all others.

/// A value with which no property of another type can be compared. No type conforms to it.
public protocol ValueOfOtherType {}

@available(*, unavailable, message: "compare a property with a value of its own type")
extension Bool: ValueOfOtherType {}

@available(*, unavailable, message: "compare a property with a value of its own type")
extension Data: ValueOfOtherType {}

@available(*, unavailable, message: "compare a property with a value of its own type")
extension Date: ValueOfOtherType {}

@available(*, unavailable, message: "compare a property with a value of its own type")
extension Decimal: ValueOfOtherType {}

@available(*, unavailable, message: "compare a property with a value of its own type")
extension Double: ValueOfOtherType {}

@available(*, unavailable, message: "compare a property with a value of its own type")
extension Float: ValueOfOtherType {}

@available(*, unavailable, message: "compare a property with a value of its own type")
extension Int: ValueOfOtherType {}

@available(*, unavailable, message: "compare a property with a value of its own type")
extension Int16: ValueOfOtherType {}

@available(*, unavailable, message: "compare a property with a value of its own type")
extension Int32: ValueOfOtherType {}

@available(*, unavailable, message: "compare a property with a value of its own type")
extension Int64: ValueOfOtherType {}

@available(*, unavailable, message: "compare a property with a value of its own type")
extension String: ValueOfOtherType {}

@available(*, unavailable, message: "compare a property with a value of its own type")
extension URL: ValueOfOtherType {}

@available(*, unavailable, message: "compare a property with a value of its own type")
extension UUID: ValueOfOtherType {}

@available(*, unavailable, message: "compare a property with a value of its own type")
extension Optional: ValueOfOtherType where Wrapped: ValueOfOtherType {}

/// Unavailable: the value has another type than the property.
@_disfavoredOverload
public func == <Object: ManagedObject, Value: PredicateArgument>(
    property: KeyPath<Object, Value>, value: some ValueOfOtherType
) -> ObjectPredicate<Object> { incomparable() }

/// Unavailable: the value has another type than the property.
@_disfavoredOverload
public func != <Object: ManagedObject, Value: PredicateArgument>(
    property: KeyPath<Object, Value>, value: some ValueOfOtherType
) -> ObjectPredicate<Object> { incomparable() }

/// Unavailable: the value has another type than the property.
@_disfavoredOverload
public func < <Object: ManagedObject, Value: PredicateArgument>(
    property: KeyPath<Object, Value>, value: some ValueOfOtherType
) -> ObjectPredicate<Object> { incomparable() }

/// Unavailable: the value has another type than the property.
@_disfavoredOverload
public func <= <Object: ManagedObject, Value: PredicateArgument>(
    property: KeyPath<Object, Value>, value: some ValueOfOtherType
) -> ObjectPredicate<Object> { incomparable() }

/// Unavailable: the value has another type than the property.
@_disfavoredOverload
public func > <Object: ManagedObject, Value: PredicateArgument>(
    property: KeyPath<Object, Value>, value: some ValueOfOtherType
) -> ObjectPredicate<Object> { incomparable() }

/// Unavailable: the value has another type than the property.
@_disfavoredOverload
public func >= <Object: ManagedObject, Value: PredicateArgument>(
    property: KeyPath<Object, Value>, value: some ValueOfOtherType
) -> ObjectPredicate<Object> { incomparable() }

private func incomparable<Object>() -> ObjectPredicate<Object> {
    preconditionFailure("An unavailable comparison was called.")
}
