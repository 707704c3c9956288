/// The type of a property, as it travels beside the property's name.
///
/// What merges with what is (name, type, rule): a property whose type changes is another property
/// of the wire, so replicas on different models always agree.
public struct WireType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let bool = WireType(rawValue: 1)
    public static let integer16 = WireType(rawValue: 2)
    public static let integer32 = WireType(rawValue: 3)
    public static let integer64 = WireType(rawValue: 4)
    public static let float = WireType(rawValue: 5)
    public static let double = WireType(rawValue: 6)
    public static let decimal = WireType(rawValue: 7)
    public static let string = WireType(rawValue: 8)
    public static let date = WireType(rawValue: 9)
    public static let data = WireType(rawValue: 10)
    public static let uuid = WireType(rawValue: 11)
    public static let uri = WireType(rawValue: 12)
    /// A to-one relationship: a register whose value is a record identity.
    public static let reference = WireType(rawValue: 13)
    /// A to-many relationship that is stored as links.
    public static let links = WireType(rawValue: 14)
    /// Attributes that change together: a register whose value is a ``GroupValue``.
    public static let group = WireType(rawValue: 15)
    /// A to-many relationship that is its own inverse, stored as links whose left end is the
    /// smaller identity: a link has one form, whoever made it, also where it is renamed.
    public static let mutualLinks = WireType(rawValue: 16)

    /// Whether the property is made of links and no column.
    public var isLinks: Bool { self == .links || self == .mutualLinks }
}

extension WireType: CustomStringConvertible {
    public var description: String {
        let names = [
            "bool", "integer16", "integer32", "integer64", "float", "double", "decimal", "string",
            "date", "data", "uuid", "uri", "reference", "links", "group", "mutualLinks",
        ]
        guard (1...names.count).contains(Int(rawValue)) else { return "type \(rawValue)" }
        return names[Int(rawValue) - 1]
    }
}
