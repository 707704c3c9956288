/// The byte that identifies the kind of a value on the wire.
///
/// Each tag below 16 has its own form. From that tag on, a length follows the tag, so a program can
/// keep and pass on a value that it does not know.
@usableFromInline package enum ValueTag {
    /// Null, without further bytes.
    @usableFromInline package static let null: UInt8 = 0
    /// A boolean: one byte, 0 or 1.
    @usableFromInline package static let bool: UInt8 = 1
    /// An integer in zigzag form.
    @usableFromInline package static let integer: UInt8 = 2
    /// A double of eight bytes.
    @usableFromInline package static let double: UInt8 = 3
    /// An exact decimal: sign, exponent and digits.
    @usableFromInline package static let decimal: UInt8 = 4
    /// A text in UTF-8 with its length.
    @usableFromInline package static let string: UInt8 = 5
    /// A date: a double of seconds since 2001-01-01 UTC.
    @usableFromInline package static let date: UInt8 = 6
    /// Bytes with their length.
    @usableFromInline package static let data: UInt8 = 7
    /// A UUID of 16 bytes.
    @usableFromInline package static let uuid: UInt8 = 8
    /// The text of a URI with its length.
    @usableFromInline package static let uri: UInt8 = 9
    /// A reference to a record.
    @usableFromInline package static let reference: UInt8 = 10
    /// An attribute group with its length.
    @usableFromInline package static let group: UInt8 = 16
    /// The first tag that belongs to later formats.
    @usableFromInline package static let firstUnknown: UInt8 = 17
}

extension PropertyValue {
    /// The tag of the value's kind.
    @inlinable
    package var tag: UInt8 {
        switch self {
        case .null: ValueTag.null
        case .bool: ValueTag.bool
        case .integer: ValueTag.integer
        case .double: ValueTag.double
        case .decimal: ValueTag.decimal
        case .string: ValueTag.string
        case .date: ValueTag.date
        case .data: ValueTag.data
        case .uuid: ValueTag.uuid
        case .uri: ValueTag.uri
        case .reference: ValueTag.reference
        case .group: ValueTag.group
        case .unknown(let tag, _): tag
        }
    }
}
