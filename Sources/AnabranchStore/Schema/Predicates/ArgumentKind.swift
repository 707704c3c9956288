import AnabranchModel

/// The form in which SQL passes a value to a function, which does not see the type of a column.
enum ArgumentKind: Character {
    case number = "n"
    case decimal = "m"
    case date = "d"
    case text = "s"
    case uuid = "u"
    case data = "b"

    init(_ type: AttributeType?) {
        switch type {
        case .decimal: self = .decimal
        case .date: self = .date
        case .string, .uri: self = .text
        case .uuid: self = .uuid
        case .binary, .transformable, .undefined: self = .data
        case .boolean, .integer16, .integer32, .integer64, .float, .double, nil: self = .number
        }
    }

    init(letter: UInt8) {
        switch letter {
        case UInt8(ascii: "m"): self = .decimal
        case UInt8(ascii: "d"): self = .date
        case UInt8(ascii: "s"): self = .text
        case UInt8(ascii: "u"): self = .uuid
        case UInt8(ascii: "b"): self = .data
        default: self = .number
        }
    }
}

extension ValueFunction {
    var sqlName: String { "ab_\(rawValue)" }
}

extension ValueReduction {
    /// The name of the aggregate in SQL.
    func sqlName(isDecimal: Bool) -> String { "ab_reduce_\(rawValue)\(isDecimal ? "_m" : "")" }
}
