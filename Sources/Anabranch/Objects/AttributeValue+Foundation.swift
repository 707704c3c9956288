public import AnabranchReplication
public import Foundation

extension Date: AttributeValue {
    /// Returns the date of a date value; `nil` for any other value.
    @inlinable
    public static func reading(_ value: PropertyValue) -> Date? {
        if case .date(let seconds) = value {
            Date(timeIntervalSinceReferenceDate: seconds)
        } else {
            nil
        }
    }
    /// 2001-01-01 00:00:00 UTC.
    @inlinable public static var absent: Date { Date(timeIntervalSinceReferenceDate: 0) }
    /// The date as seconds since 2001-01-01 00:00:00 UTC.
    @inlinable public var attributeValue: PropertyValue { .date(timeIntervalSinceReferenceDate) }
}

extension Data: AttributeValue {
    /// Returns the bytes of a binary value; `nil` for any other value.
    @inlinable
    public static func reading(_ value: PropertyValue) -> Data? {
        if case .data(let data) = value { data } else { nil }
    }
    /// No bytes.
    @inlinable public static var absent: Data { Data() }
    /// The bytes as an attribute value.
    @inlinable public var attributeValue: PropertyValue { .data(self) }
}

extension UUID: AttributeValue {
    /// Returns the UUID of a UUID value; `nil` for any other value.
    @inlinable
    public static func reading(_ value: PropertyValue) -> UUID? {
        if case .uuid(let uuid) = value { uuid } else { nil }
    }
    /// The UUID with only zero bytes.
    @inlinable public static var absent: UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    /// The UUID as an attribute value.
    @inlinable public var attributeValue: PropertyValue { .uuid(self) }
}

extension URL: AttributeValue {
    /// Returns the URL of a URI value; `nil` for any other value, or if the text is not a URL.
    @inlinable
    public static func reading(_ value: PropertyValue) -> URL? {
        if case .uri(let text) = value { URL(string: text) } else { nil }
    }
    /// The URL of the root folder.
    @inlinable public static var absent: URL { URL(fileURLWithPath: "/") }
    /// The absolute form of the URL as an attribute value.
    @inlinable public var attributeValue: PropertyValue { .uri(absoluteString) }
}

extension Decimal: AttributeValue {
    /// Returns the number of a decimal value; `nil` for any other value.
    @inlinable
    public static func reading(_ value: PropertyValue) -> Decimal? {
        if case .decimal(let number) = value { number.decimal } else { nil }
    }
    /// Zero.
    @inlinable public static var absent: Decimal { 0 }
    /// The number as an attribute value.
    ///
    /// - Throws: ``AttributeValueError`` for NaN, and for a number of more than 38 digits; a
    ///   division of `Decimal` numbers can result in 39.
    @inlinable public var attributeValue: PropertyValue {
        get throws(AttributeValueError) {
            guard let number = ExactDecimal(self) else { throw AttributeValueError(refusing: self) }
            return .decimal(number)
        }
    }
}

extension ExactDecimal: AttributeValue {
    /// Returns the number of a decimal value; `nil` for any other value.
    @inlinable
    public static func reading(_ value: PropertyValue) -> ExactDecimal? {
        if case .decimal(let number) = value { number } else { nil }
    }
    /// Zero.
    @inlinable public static var absent: ExactDecimal { .zero }
    /// The number as an attribute value.
    @inlinable public var attributeValue: PropertyValue { .decimal(self) }
}

extension AttributeValueError {
    @usableFromInline
    init(refusing decimal: Decimal) {
        self.init(
            value: "\(decimal)",
            cause: decimal.isNaN
                ? "it is not a number; set a number or nil"
                : "it has more than the 38 digits that an attribute holds; round it, "
                    + "for example by NSDecimalRound, and set it again")
    }
}
