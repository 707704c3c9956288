public import AnabranchReplication
public import Foundation

extension Date: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> Date? {
        if case .date(let seconds) = value {
            Date(timeIntervalSinceReferenceDate: seconds)
        } else {
            nil
        }
    }
    /// 2001-01-01 00:00:00 UTC.
    @inlinable public static var absent: Date { Date(timeIntervalSinceReferenceDate: 0) }
    @inlinable public var attributeValue: Value { .date(timeIntervalSinceReferenceDate) }
}

extension Data: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> Data? {
        if case .data(let data) = value { data } else { nil }
    }
    @inlinable public static var absent: Data { Data() }
    @inlinable public var attributeValue: Value { .data(self) }
}

extension UUID: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> UUID? {
        if case .uuid(let uuid) = value { uuid } else { nil }
    }
    /// All bytes zero.
    @inlinable public static var absent: UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    @inlinable public var attributeValue: Value { .uuid(self) }
}

extension URL: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> URL? {
        if case .uri(let text) = value { URL(string: text) } else { nil }
    }
    /// The root folder.
    @inlinable public static var absent: URL { URL(fileURLWithPath: "/") }
    @inlinable public var attributeValue: Value { .uri(absoluteString) }
}

extension Decimal: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> Decimal? {
        if case .decimal(let number) = value { number.decimal } else { nil }
    }
    @inlinable public static var absent: Decimal { 0 }
    /// - Throws: ``AttributeValueError`` for NaN and for more than 38 digits, of which divisions
    ///   make 39.
    @inlinable public var attributeValue: Value {
        get throws(AttributeValueError) {
            guard let number = ExactDecimal(self) else { throw AttributeValueError(refusing: self) }
            return .decimal(number)
        }
    }
}

extension ExactDecimal: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> ExactDecimal? {
        if case .decimal(let number) = value { number } else { nil }
    }
    @inlinable public static var absent: ExactDecimal { .zero }
    @inlinable public var attributeValue: Value { .decimal(self) }
}

extension AttributeValueError {
    @usableFromInline
    init(refusing decimal: Decimal) {
        self.init(
            value: "\(decimal)",
            cause: decimal.isNaN
                ? "it is not a number; set a number, or nil where there is none"
                : "it has more than the 38 digits that an attribute holds; round it, as "
                    + "NSDecimalRound does, and set it again")
    }
}
