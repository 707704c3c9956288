public import AnabranchReplication

/// A type of a property of a managed object's class.
///
/// Standard types conform. An enum of a conforming raw type conforms by stating its `absent`
/// case: `extension Colour: AttributeValue { static var absent: Colour { .red } }`.
public protocol AttributeValue {
    /// - Returns: `nil` where the value has no counterpart in this type; of a type that is not
    ///   optional also for `null`.
    static func reading(_ value: Value) -> Self?
    /// What a property that is not optional reads as while the attribute is null.
    static var absent: Self { get }
    /// What the slot gets; a type all of whose values fit an attribute declares it without
    /// `throws`.
    ///
    /// - Throws: ``AttributeValueError`` where no attribute holds the value as it is.
    var attributeValue: Value { get throws(AttributeValueError) }
}

/// Why no attribute holds a value as it is. Who sets a property by name gets it as a
/// ``PropertyError`` with the property's name.
public struct AttributeValueError: Error, Sendable {
    /// The value, for messages.
    public let value: String
    /// What stands against it and what to do, to follow a "because": `it is too long; cut it`.
    public let cause: String

    public init(value: String, cause: String) {
        self.value = value
        self.cause = cause
    }
}

extension AttributeValueError: CustomStringConvertible {
    public var description: String { "Can't keep \(value) because \(cause)." }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> Wrapped?? {
        if value.isNull { return .some(nil) }
        return Wrapped.reading(value).map { .some($0) }
    }
    @inlinable public static var absent: Wrapped? { nil }
    @inlinable public var attributeValue: Value {
        get throws(AttributeValueError) {
            guard let self else { return .null }
            return try self.attributeValue
        }
    }
}

extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> Self? {
        RawValue.reading(value).flatMap { Self(rawValue: $0) }
    }
    @inlinable public var attributeValue: Value {
        get throws(AttributeValueError) { try rawValue.attributeValue }
    }
}

extension Int64: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> Int64? {
        if case .integer(let number) = value { number } else { nil }
    }
    @inlinable public static var absent: Int64 { 0 }
    @inlinable public var attributeValue: Value { .integer(self) }
}

extension Int: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> Int? {
        if case .integer(let number) = value { Int(exactly: number) } else { nil }
    }
    @inlinable public static var absent: Int { 0 }
    @inlinable public var attributeValue: Value { .integer(Int64(self)) }
}

extension Int32: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> Int32? {
        if case .integer(let number) = value { Int32(exactly: number) } else { nil }
    }
    @inlinable public static var absent: Int32 { 0 }
    @inlinable public var attributeValue: Value { .integer(Int64(self)) }
}

extension Int16: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> Int16? {
        if case .integer(let number) = value { Int16(exactly: number) } else { nil }
    }
    @inlinable public static var absent: Int16 { 0 }
    @inlinable public var attributeValue: Value { .integer(Int64(self)) }
}

extension Double: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> Double? {
        if case .double(let number) = value { number } else { nil }
    }
    @inlinable public static var absent: Double { 0 }
    @inlinable public var attributeValue: Value { .double(self) }
}

extension Float: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> Float? {
        if case .double(let number) = value { Float(number) } else { nil }
    }
    @inlinable public static var absent: Float { 0 }
    @inlinable public var attributeValue: Value { .double(Double(self)) }
}

extension Bool: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> Bool? {
        if case .bool(let flag) = value { flag } else { nil }
    }
    @inlinable public static var absent: Bool { false }
    @inlinable public var attributeValue: Value { .bool(self) }
}

extension String: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> String? {
        if case .string(let text) = value { text } else { nil }
    }
    @inlinable public static var absent: String { "" }
    @inlinable public var attributeValue: Value { .string(self) }
}
