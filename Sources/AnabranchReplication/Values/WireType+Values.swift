extension WireType {
    /// What an integer of this type may be; `nil` where every 64-bit integer will do.
    package var integers: ClosedRange<Int64>? {
        switch self {
        case .integer16: -32_768...32_767
        case .integer32: -2_147_483_648...2_147_483_647
        default: nil
        }
    }

    /// Whether a value of this tag may stand in a property of this type: null and values of later
    /// formats everywhere, and anything in a property of a later type.
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
