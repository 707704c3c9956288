import AnabranchReplication

/// Reads values from the texts of a model file.
enum ModelValueReader {
    /// Reads a value; `nil` if the text is not a value of the type.
    static func value(of text: String, as type: AttributeType) -> PropertyValue? {
        switch type {
        case .string: .string(text)
        case .boolean: FlagText.flag(of: text).map { .bool($0) }
        case .uri, .uuid: type.coerce(.string(text))
        case .integer16, .integer32, .integer64: integer(text).map { .integer($0) }
        case .decimal:
            (ExactDecimal(text) ?? flagNumber(text).map { ExactDecimal($0) })
                .map { .decimal($0) }
        case .double, .float:
            (Double(decimalText: text) ?? flagNumber(text).map { Double($0) })
                .flatMap { type.coerce(.double($0)) }
        case .date, .binary, .transformable, .undefined: nil
        }
    }

    /// Reads `YES` and `NO` as numbers: model files contain `NO` as a default, which Xcode reads as
    /// 0.
    private static func flagNumber(_ text: String) -> Int64? {
        switch text {
        case "YES": 1
        case "NO": 0
        default: nil
        }
    }

    /// Reads an integer, also written as `0.0`, which Xcode writes after a change of the type.
    private static func integer(_ text: String) -> Int64? {
        Int64(text) ?? flagNumber(text) ?? ExactDecimal(text).flatMap { Int64("\($0)") }
    }
}
