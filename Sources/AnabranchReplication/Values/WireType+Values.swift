extension WireType {
    /// The allowed integers of this type, or `nil` if every 64-bit integer is allowed.
    package var integers: ClosedRange<Int64>? {
        switch self {
        case .integer16: -32_768...32_767
        case .integer32: -2_147_483_648...2_147_483_647
        default: nil
        }
    }

    /// Indicates whether a property of this type may have a value with this tag.
    ///
    /// Null and values of later formats are allowed in every property, and every value in a
    /// property of an unknown type.
    func accepts(tag: UInt8) -> Bool {
        if tag == ValueTag.null || tag >= ValueTag.firstUnknown { return true }
        switch self {
        case .bool: return tag == ValueTag.bool
        case .integer16, .integer32, .integer64: return tag == ValueTag.integer
        case .float, .double: return tag == ValueTag.double
        case .decimal: return tag == ValueTag.decimal
        case .string: return tag == ValueTag.string
        case .date: return tag == ValueTag.date
        case .data: return tag == ValueTag.data
        case .uuid: return tag == ValueTag.uuid
        case .uri: return tag == ValueTag.uri
        case .reference: return tag == ValueTag.reference
        case .group: return tag == ValueTag.group
        case .links, .mutualLinks: return false
        default: return true
        }
    }
}
