public import AnabranchReplication

/// A managed object's class that checks or replaces the values of its properties.
///
/// One method checks all properties, in place of Core Data's `validate<Key>` methods:
///
/// ```swift
/// final class Person: ManagedObject, ValueChecking {
///     func checkValue(_ value: inout PropertyValue, forKey key: String) throws {
///         if key == "name", case .string(let name) = value {
///             value = .string(name.trimmingCharacters(in: .whitespaces))
///         }
///         if key == "nick", value == "root" { throw ValidationError("That nick is taken.") }
///     }
/// }
/// ```
///
/// A save calls it for every property of an inserted object, and for every property of an updated
/// object that was set. The save then sets the attribute to the resulting value, converted to the
/// attribute's type. ``ManagedObject/validateValue(_:forKey:)`` calls it too. It need not repeat
/// the model's checks, which follow with the resulting value.
///
/// A subclass inherits the method, and can override it and call `super`.
public protocol ValueChecking: ManagedObject {
    /// Checks or replaces the value of one property.
    ///
    /// - Parameters:
    ///   - value: The value of an attribute, converted to its type, which can be replaced. For a
    ///     to-one relationship it is a record reference, for a to-many relationship null; these
    ///     must not be changed.
    ///   - key: The name of the property.
    /// - Throws: ``ValidationError`` with everything that is wrong, or an error of the app, which
    ///   is wrapped in one with the object and the property. The save also reports the model's
    ///   failures.
    func checkValue(_ value: inout PropertyValue, forKey key: String) throws
}
