public import AnabranchReplication

/// The type of an attribute: which values it takes.
///
/// The raw values are Core Data's, as compiled models have them.
public enum AttributeType: Int, Hashable, Sendable, CaseIterable {
    /// Any value; only for transient attributes, which are never stored.
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    /// Exact, at most 38 digits.
    case decimal = 400
    case double = 500
    /// Stored as a `Double` that a `Float` holds exactly.
    case float = 600
    case string = 700
    case boolean = 800
    /// Seconds since 2001-01-01 00:00:00 UTC.
    case date = 900
    case binary = 1000
    case uuid = 1100
    case uri = 1200
    /// Any Swift value, kept as the bytes that the attribute's transformer makes of it. Model,
    /// store and peers know the bytes alone.
    case transformable = 1800
}

extension AttributeType {
    /// The type as it travels. An undefined type never does and has the number 0.
    public var wireType: WireType {
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

    /// Whether values of the type are ordered numbers, so that bounds are bounds of the value.
    public var isNumeric: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .decimal, .double, .float: true
        default: false
        }
    }
}

extension AttributeType: CustomStringConvertible {
    /// The case's name, as a declaration in Swift spells it.
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
