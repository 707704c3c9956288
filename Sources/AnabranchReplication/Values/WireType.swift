/// The type of a property on the wire.
///
/// Writes merge if name, type and rule of their properties are equal. A property that changes its
/// type becomes another wire property, so replicas with different models always agree.
package struct WireType: RawRepresentable, Hashable, Sendable {
    /// The number of the type in the format.
    package let rawValue: UInt8
    /// Creates a type from its number, which may be unknown to this version.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A boolean attribute.
    package static let bool = WireType(rawValue: 1)
    /// An integer attribute of 16 bits.
    package static let integer16 = WireType(rawValue: 2)
    /// An integer attribute of 32 bits.
    package static let integer32 = WireType(rawValue: 3)
    /// An integer attribute of 64 bits.
    package static let integer64 = WireType(rawValue: 4)
    /// A floating-point attribute of 32 bits, sent as a double.
    package static let float = WireType(rawValue: 5)
    /// A floating-point attribute of 64 bits.
    package static let double = WireType(rawValue: 6)
    /// An exact decimal attribute.
    package static let decimal = WireType(rawValue: 7)
    /// A text attribute.
    package static let string = WireType(rawValue: 8)
    /// A date attribute.
    package static let date = WireType(rawValue: 9)
    /// An attribute of bytes.
    package static let data = WireType(rawValue: 10)
    /// A UUID attribute.
    package static let uuid = WireType(rawValue: 11)
    /// A URI attribute.
    package static let uri = WireType(rawValue: 12)
    /// A to-one relationship: a register with a record identity as its value.
    package static let reference = WireType(rawValue: 13)
    /// A to-many relationship that is stored as links.
    package static let links = WireType(rawValue: 14)
    /// An attribute group: a register with a ``GroupValue`` as its value.
    package static let group = WireType(rawValue: 15)
    /// A to-many relationship that is its own inverse, stored as links. The left end is the smaller
    /// identity, so a link has one form on every replica, even after a renaming.
    package static let mutualLinks = WireType(rawValue: 16)

    /// Indicates whether the property is stored as links and not as a column.
    package var isLinks: Bool { self == .links || self == .mutualLinks }
}

extension WireType: CustomStringConvertible {
    /// The name of the type, or its number if it is unknown.
    package var description: String {
        let names = [
            "bool", "integer16", "integer32", "integer64", "float", "double", "decimal", "string",
            "date", "data", "uuid", "uri", "reference", "links", "group", "mutualLinks",
        ]
        guard (1...names.count).contains(Int(rawValue)) else { return "type \(rawValue)" }
        return names[Int(rawValue) - 1]
    }
}
