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
    /// Null for a NaN, which no attribute holds.
    @inlinable public var attributeValue: Value { ExactDecimal(self).map { .decimal($0) } ?? .null }
}

extension ExactDecimal: AttributeValue {
    @inlinable
    public static func reading(_ value: Value) -> ExactDecimal? {
        if case .decimal(let number) = value { number } else { nil }
    }
    @inlinable public static var absent: ExactDecimal { .zero }
    @inlinable public var attributeValue: Value { .decimal(self) }
}
