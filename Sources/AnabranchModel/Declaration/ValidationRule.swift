/// A condition on a property, checked when its object is saved, in Core Data's predicate language.
///
///  ```swift
///  AttributeDeclaration(
///      "age", .integer16, validations: [.init("SELF >= 18", warning: "Adults only.")])
///  RelationshipDeclaration("wheels", toMany: "Wheel", validations: [.init("@count != 1")])
///  ```
///
/// `SELF` is the value of the property:
///
/// - For an attribute, it is the value; `length` is the number of UTF-16 units of a text.
/// - For a to-one relationship, it is the object at the other end.
/// - For a to-many relationship, it is all objects, as in `SELF.@count > 1` or `ALL SELF.age >=
///   18`.
///
/// A property without a value is not checked; `optional` decides if a value may be missing.
public struct ValidationRule: Hashable, Sendable {
    /// The condition as a predicate format.
    package var predicateFormat: String
    /// A sentence that asks the user to correct the value; if empty, the predicate is shown.
    package var warning: String

    /// Declares a condition.
    public init(predicateFormat: String, warning: String = "") {
        self.predicateFormat = predicateFormat
        self.warning = warning
    }

    /// Declares a condition.
    public init(_ predicateFormat: String, warning: String = "") {
        self.init(predicateFormat: predicateFormat, warning: warning)
    }
}
