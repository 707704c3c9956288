package import AnabranchReplication

/// The type of an attribute, which decides the values that it can hold.
///
/// The raw values are those of Core Data's compiled models.
///
/// It is closed: only a new major version adds a case.
public enum AttributeType: Int, Hashable, Sendable, CaseIterable {
    /// Any value; only for transient attributes, which are never stored.
    case undefined = 0
    /// A signed integer of 16 bits.
    case integer16 = 100
    /// A signed integer of 32 bits.
    case integer32 = 200
    /// A signed integer of 64 bits.
    case integer64 = 300
    /// An exact decimal number of at most 38 digits.
    case decimal = 400
    /// A `Double`.
    case double = 500
    /// A number of `Float` precision, stored as a `Double` that a `Float` holds exactly.
    case float = 600
    /// A text.
    case string = 700
    /// True or false.
    case boolean = 800
    /// A time in seconds since 2001-01-01 00:00:00 UTC.
    case date = 900
    /// Bytes.
    case binary = 1000
    /// A UUID.
    case uuid = 1100
    /// A URI, kept as text.
    case uri = 1200
    /// Any Swift value, kept as the bytes that the attribute's transformer returns.
    ///
    /// Model, store and other replicas see only the bytes.
    case transformable = 1800
}

extension AttributeType {
    /// The type on the wire. An undefined attribute is never sent; its number is 0.
    package var wireType: WireType {
        switch self {
        case .undefined: WireType(rawValue: 0)
        case .integer16: .integer16
        case .integer32: .integer32
        case .integer64: .integer64
        case .decimal: .decimal
        case .double: .double
        case .float: .float
        case .string: .string
        case .boolean: .bool
        case .date: .date
        case .binary, .transformable: .data
        case .uuid: .uuid
        case .uri: .uri
        }
    }

    /// True if the values are ordered numbers, so bounds limit the value itself.
    package var isNumeric: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .decimal, .double, .float: true
        default: false
        }
    }
}

extension AttributeType: CustomStringConvertible {
    /// The name of the case, as a declaration in Swift spells it.
    public var description: String {
        switch self {
        case .undefined: "undefined"
        case .integer16: "integer16"
        case .integer32: "integer32"
        case .integer64: "integer64"
        case .decimal: "decimal"
        case .double: "double"
        case .float: "float"
        case .string: "string"
        case .boolean: "boolean"
        case .date: "date"
        case .binary: "binary"
        case .uuid: "uuid"
        case .uri: "uri"
        case .transformable: "transformable"
        }
    }
}
