/// The byte that tells a value's form on the wire.
///
/// Tags below ``firstWithLength`` have forms of their own. Every tag from there on is
/// followed by a length, so that a value that is not understood can still be kept and passed on.
public enum ValueTag {
    public static let null: UInt8 = 0
    public static let bool: UInt8 = 1
    public static let integer: UInt8 = 2
    public static let double: UInt8 = 3
    public static let decimal: UInt8 = 4
    public static let string: UInt8 = 5
    public static let date: UInt8 = 6
    public static let data: UInt8 = 7
    public static let uuid: UInt8 = 8
    public static let uri: UInt8 = 9
    public static let reference: UInt8 = 10
    public static let firstWithLength: UInt8 = 16
    public static let group: UInt8 = 16
    /// From here on tags are of later formats.
    public static let firstUnknown: UInt8 = 17
}

extension Value {
    @inlinable
    public var tag: UInt8 {
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
