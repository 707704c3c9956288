public import AnabranchModel
public import AnabranchReplication

/// A type that a property of a managed object's class can have.
///
/// The standard types conform. An enum with a conforming raw type is an ``AttributeEnum``.
///
/// If an attribute holds a value that the type of its property has no counterpart of, such as a
/// case of a newer version, the property reads as `absent`, and as nil if it is optional. The
/// context reports that in its `accessErrors()`. The stored value stays until the property is set.
///
/// A value of such a type is also an argument of predicates.
public protocol AttributeValue: PredicateArgument {
    /// Converts an attribute's value to this type.
    ///
    /// - Parameter value: The value as the object holds it.
    /// - Returns: `nil` if this type has no counterpart of the value. A type that is not optional
    ///   also returns `nil` for `null`.
    static func reading(_ value: PropertyValue) -> Self?
    /// The value that a non-optional property reads while the attribute is null.
    static var absent: Self { get }
    /// The type of an attribute in a model that is made from classes.
    ///
    /// A type with a conforming raw type has that one's type. Another type need not declare it if
    /// the value of its `absent` shows the type; numbers then have 64 bits.
    static var attributeType: AttributeType { get }
    /// The value as an attribute stores it. If every value of a type fits an attribute, the type
    /// declares this property without `throws`.
    ///
    /// - Throws: ``AttributeValueError`` if no attribute can store the value exactly.
    var attributeValue: PropertyValue { get throws(AttributeValueError) }
}

/// An enum that a property of a managed object's class can have, stored as its raw value:
/// `enum Mood: String, AttributeEnum { case calm, wild }`.
///
/// A property that is not optional reads as the first case while the attribute is null, unless the
/// enum declares `absent`. A later version of the app can add cases. An enum with a case for those
/// that it does not know reads them as that case:
///
/// ```swift
/// enum Mood: String, AttributeEnum {
///     case calm, wild, other
///     static func reading(_ value: PropertyValue) -> Mood? {
///         String.reading(value).map { Mood(rawValue: $0) ?? .other }
///     }
/// }
/// ```
public protocol AttributeEnum: AttributeValue, CaseIterable, RawRepresentable
where RawValue: AttributeValue {}

extension AttributeEnum {
    /// The first case. An enum with a raw type has one.
    @inlinable public static var absent: Self { allCases[allCases.startIndex] }
}

/// The reason why no attribute can store a value exactly. Setting a property by name throws it as
/// a ``PropertyError`` that names the property.
public struct AttributeValueError: Error, Sendable {
    /// The value, for messages.
    public let value: String
    /// The cause and what to do, as a clause that follows "because": `it is too long; cut it`.
    public let cause: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - value: The value, for messages.
    ///   - cause: The cause and what to do, as a clause that follows "because".
    public init(value: String, cause: String) {
        self.value = value
        self.cause = cause
    }
}

extension AttributeValueError: CustomStringConvertible, DescribedError {
    /// The error as a sentence.
    public var description: String { "Can't store \(value) because \(cause)." }
}

extension AttributeValue {
    /// The value as a constant of a predicate.
    ///
    /// - Throws: `FetchPredicateError` with code `invalidArgument` if no attribute can store the
    ///   value exactly.
    public var predicateExpression: FetchExpression {
        get throws(FetchPredicateError) {
            let value: PropertyValue
            do {
                value = try attributeValue
            } catch {
                throw FetchPredicateError(
                    .invalidArgument,
                    "Can't compare with \(error.value) because \(error.cause).")
            }
            return value.predicateExpression
        }
    }

    /// The type of the attribute that stores ``absent``; `undefined` if no attribute can store it.
    public static var attributeType: AttributeType {
        (try? absent.attributeValue).flatMap(AttributeType.init(holding:)) ?? .undefined
    }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    /// The type of the wrapped type.
    public static var attributeType: AttributeType { Wrapped.attributeType }
    /// Returns `.some(nil)` for null, and otherwise what the wrapped type returns.
    @inlinable
    public static func reading(_ value: PropertyValue) -> Wrapped?? {
        if value.isNull { return .some(nil) }
        return Wrapped.reading(value).map { .some($0) }
    }
    /// `nil`.
    @inlinable public static var absent: Wrapped? { nil }
    /// The wrapped value as an attribute value; null for `nil`.
    @inlinable public var attributeValue: PropertyValue {
        get throws(AttributeValueError) {
            guard let self else { return .null }
            return try self.attributeValue
        }
    }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    /// The type of the raw type.
    public static var attributeType: AttributeType { RawValue.attributeType }
    /// Returns the case with the attribute's value as its raw value; `nil` if there is none.
    @inlinable
    public static func reading(_ value: PropertyValue) -> Self? {
        RawValue.reading(value).flatMap { Self(rawValue: $0) }
    }
    /// The raw value as an attribute value.
    @inlinable public var attributeValue: PropertyValue {
        get throws(AttributeValueError) { try rawValue.attributeValue }
    }
}

extension Int64: AttributeValue {
    /// Returns the number of an integer value; `nil` for any other value.
    @inlinable
    public static func reading(_ value: PropertyValue) -> Int64? {
        if case .integer(let number) = value { number } else { nil }
    }
    /// Zero.
    @inlinable public static var absent: Int64 { 0 }
    /// The number as an attribute value.
    @inlinable public var attributeValue: PropertyValue { .integer(self) }
}

extension Int: AttributeValue {
    /// Returns the number of an integer value that fits; `nil` for any other value.
    @inlinable
    public static func reading(_ value: PropertyValue) -> Int? {
        if case .integer(let number) = value { Int(exactly: number) } else { nil }
    }
    /// Zero.
    @inlinable public static var absent: Int { 0 }
    /// The number as an attribute value.
    @inlinable public var attributeValue: PropertyValue { .integer(Int64(self)) }
}

extension Int32: AttributeValue {
    /// `integer32`.
    public static var attributeType: AttributeType { .integer32 }
    /// Returns the number of an integer value that fits; `nil` for any other value.
    @inlinable
    public static func reading(_ value: PropertyValue) -> Int32? {
        if case .integer(let number) = value { Int32(exactly: number) } else { nil }
    }
    /// Zero.
    @inlinable public static var absent: Int32 { 0 }
    /// The number as an attribute value.
    @inlinable public var attributeValue: PropertyValue { .integer(Int64(self)) }
}

extension Int16: AttributeValue {
    /// `integer16`.
    public static var attributeType: AttributeType { .integer16 }
    /// Returns the number of an integer value that fits; `nil` for any other value.
    @inlinable
    public static func reading(_ value: PropertyValue) -> Int16? {
        if case .integer(let number) = value { Int16(exactly: number) } else { nil }
    }
    /// Zero.
    @inlinable public static var absent: Int16 { 0 }
    /// The number as an attribute value.
    @inlinable public var attributeValue: PropertyValue { .integer(Int64(self)) }
}

extension Double: AttributeValue {
    /// Returns the number of a floating-point value; `nil` for any other value.
    @inlinable
    public static func reading(_ value: PropertyValue) -> Double? {
        if case .double(let number) = value { number } else { nil }
    }
    /// Zero.
    @inlinable public static var absent: Double { 0 }
    /// The number as an attribute value.
    @inlinable public var attributeValue: PropertyValue { .double(self) }
}

extension Float: AttributeValue {
    /// `float`.
    public static var attributeType: AttributeType { .float }
    /// Returns the number of a floating-point value, rounded to single precision; `nil` for any
    /// other value.
    @inlinable
    public static func reading(_ value: PropertyValue) -> Float? {
        if case .double(let number) = value { Float(number) } else { nil }
    }
    /// Zero.
    @inlinable public static var absent: Float { 0 }
    /// The number as an attribute value.
    @inlinable public var attributeValue: PropertyValue { .double(Double(self)) }
}

extension Bool: AttributeValue {
    /// Returns the flag of a Boolean value; `nil` for any other value.
    @inlinable
    public static func reading(_ value: PropertyValue) -> Bool? {
        if case .bool(let flag) = value { flag } else { nil }
    }
    /// `false`.
    @inlinable public static var absent: Bool { false }
    /// The flag as an attribute value.
    @inlinable public var attributeValue: PropertyValue { .bool(self) }
}

extension String: AttributeValue {
    /// Returns the text of a string value; `nil` for any other value.
    @inlinable
    public static func reading(_ value: PropertyValue) -> String? {
        if case .string(let text) = value { text } else { nil }
    }
    /// The empty string.
    @inlinable public static var absent: String { "" }
    /// The text as an attribute value.
    @inlinable public var attributeValue: PropertyValue { .string(self) }
}
