#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value of an attribute or a to-one relationship, on the wire, in an object's slots and in SQL
/// bindings.
///
/// Equality and hash follow canonical bytes, so that all replicas agree. Strings compare by their
/// UTF-8, doubles by their bits with one pattern for every NaN, decimals by sign, digits and
/// exponent. This is the equality of merging; predicates compare in their own way.
///
/// It is closed: only a new major version adds a case.
public enum PropertyValue: Sendable {
    /// No value; different from a property that was never written.
    case null
    /// A boolean.
    case bool(Bool)
    /// An integer of any integer type. The property's type determines the allowed range.
    case integer(Int64)
    /// A binary floating-point number.
    case double(Double)
    /// An exact decimal number.
    case decimal(ExactDecimal)
    /// A text.
    case string(String)
    /// A date in seconds since 2001-01-01 00:00:00 UTC, as Core Data stores it, so that imports are
    /// exact.
    case date(Double)
    /// Bytes.
    case data(Data)
    /// A UUID.
    case uuid(UUID)
    /// The text of a URI, unchanged.
    case uri(String)
    /// A reference to a record on the wire. In slots and bindings of a store a reference is
    /// `integer`: the local ID of the record.
    indirect case reference(RecordID)
    /// The value of an attribute group. References in it are whole identities everywhere.
    case group(GroupValue)
    /// A value of a later format, kept and passed on unchanged.
    indirect case unknown(tag: UInt8, bytes: [UInt8])

    /// Indicates whether the value is null.
    @inlinable
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension PropertyValue: Equatable {
    /// Compares the canonical bytes of two values.
    @inlinable
    public static func == (left: PropertyValue, right: PropertyValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left.canonicalBits == right.canonicalBits
        case (.date(let left), .date(let right)): left.canonicalBits == right.canonicalBits
        case (.decimal(let left), .decimal(let right)): left == right
        case (.string(let left), .string(let right)), (.uri(let left), .uri(let right)):
            left.hasBytes(of: right)
        case (.data(let left), .data(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        case (.reference(let left), .reference(let right)): left == right
        case (.group(let left), .group(let right)): left == right
        case (.unknown(let leftTag, let left), .unknown(let rightTag, let right)):
            leftTag == rightTag && left == right
        default: false
        }
    }
}

extension PropertyValue: Hashable {
    /// Hashes the tag and the canonical bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(tag)
        switch self {
        case .null: break
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value), .date(let value): hasher.combine(value.canonicalBits)
        case .decimal(let value): hasher.combine(value)
        case .string(let value), .uri(let value): hasher.combine(WireName(value))
        case .data(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .reference(let value): hasher.combine(value)
        case .group(let value): hasher.combine(value)
        case .unknown(_, let bytes): hasher.combine(bytes)
        }
    }
}

extension Double {
    /// The bits of the double, with one pattern for every NaN.
    @inlinable
    package var canonicalBits: UInt64 { isNaN ? 0x7FF8_0000_0000_0000 : bitPattern }
}
