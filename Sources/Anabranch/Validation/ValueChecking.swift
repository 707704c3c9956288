public import AnabranchReplication

/// A class that checks values of its properties in a way of its own.
///
/// It has the checks of the class in one switch: what Core Data's `validate<Key>` methods are.
///
/// ```swift
/// final class Person: ManagedObject, ValueChecking {
///     func checkValue(_ value: inout Value, forKey key: String) throws {
///         if key == "name", case .string(let name) = value {
///             value = .string(name.trimmingCharacters(in: .whitespaces))
///         }
///         if key == "nick", value == "root" { throw ValidationError("That nick is taken.") }
///     }
/// }
/// ```
///
/// A save asks objects of such classes only, for every property of an inserted object and every
/// property of an updated one that was set, and sets an attribute to what it was given back,
/// brought to the attribute's type. ``ManagedObject/validateValue(_:forKey:)`` asks, too. The
/// model's checks need not be made here: they come next, of the value that is given back.
///
/// A subclass inherits the method; it may override it, and call its superclass.
public protocol ValueChecking: ManagedObject {
    /// - Parameter value: Of an attribute its value, brought to the attribute's type. Of a to-one a
    ///   reference to the record, of a to-many null: its objects are checked as they are. Of a
    ///   relationship it must stay.
    /// - Throws: ``ValidationError`` with everything that is wrong, or an error of the app, which
    ///   becomes one with object and property. The save reports what the model finds beside it.
    func checkValue(_ value: inout Value, forKey key: String) throws
}
