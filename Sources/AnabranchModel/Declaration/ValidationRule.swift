/// A condition that a property has to fulfil when its object is saved, in Core Data's predicate
/// language.
///
/// ```swift
/// Attribute("age", .integer16, validations: [.init("SELF >= 18", warning: "Adults only.")])
/// Relationship("wheels", toMany: "Wheel", validations: [.init("@count != 1")])
/// ```
///
/// `SELF` is the property's value: of an attribute the value, and `length` how many UTF-16 units a
/// text has; of a to-one relationship the object at the other end; of a to-many all of them, as
/// in `SELF.@count > 1` or `ALL SELF.age >= 18`. A property without a value is not asked: that is
/// what `optional` is for.
public struct ValidationRule: Hashable, Sendable {
    public var predicateFormat: String
    /// What the person is told who has to mend the value, a sentence; empty: the predicate itself.
    public var warning: String

    public init(predicateFormat: String, warning: String = "") {
        self.predicateFormat = predicateFormat
        self.warning = warning
    }

    public init(_ predicateFormat: String, warning: String = "") {
        self.init(predicateFormat: predicateFormat, warning: warning)
    }
}
