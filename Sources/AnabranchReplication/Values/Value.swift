#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value of an attribute or a to-one relationship: the one form of wire, slots and bindings.
///
/// Equality and hash are by canonical bytes, so that every replica agrees on them: strings by
/// their UTF-8, doubles by their bits with one NaN for all, decimals by sign, digits and exponent
/// without trailing zeros. That is the equality of merging; comparing as a predicate does is
/// another matter.
public enum Value: Sendable {
    case null
    case bool(Bool)
    /// Every integer type of a model; its width is the property's.
    case integer(Int64)
    case double(Double)
    case decimal(ExactDecimal)
    case string(String)
    /// Seconds since 2001-01-01 00:00:00 UTC, as Core Data keeps them, so that imports are exact.
    case date(Double)
    case data(Data)
    case uuid(UUID)
    /// The text of a URI, kept as it was written.
    case uri(String)
    /// A record on the wire. In slots and bindings of a store a reference is `integer`, the
    /// record's local ID there.
    indirect case reference(RecordID)
    /// The members of a group. References among them are whole identities everywhere.
    case group(GroupValue)
    /// A value of a later format, kept as it came.
    indirect case unknown(tag: UInt8, bytes: [UInt8])

    @inlinable
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension Value: Equatable {
    @inlinable
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left.canonicalBits == right.canonicalBits
        case (.date(let left), .date(let right)): left.canonicalBits == right.canonicalBits
        case (.decimal(let left), .decimal(let right)): left == right
        case (.string(let left), .string(let right)), (.uri(let left), .uri(let right)):
            WireName(left) == WireName(right)
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

extension Value: Hashable {
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
    public var canonicalBits: UInt64 { isNaN ? 0x7FF8_0000_0000_0000 : bitPattern }
}
