import AnabranchModel
import AnabranchReplication

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TableLayout.Column {
    /// The column in CREATE TABLE: its name, its type and its default.
    ///
    /// The default is what a record shows that was inserted by a version of the model without the
    /// property. It is no written value: it counts neither in a merge nor in the canonical hash.
    var definition: String {
        [name, kind.declaration, shownDefault.map { "DEFAULT \($0)" } ?? ""]
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The default as a literal of SQL; `nil` if a property that was never written shows null.
    private var shownDefault: String? {
        guard let value = property.attribute?.valueWhenNeverWritten, !value.isNull else {
            return nil
        }
        return SQL.literal(value)
    }
}

extension SQL {
    /// The literal of a value, in the form in which a column holds it; `nil` if it has none.
    static func literal(_ value: PropertyValue) -> String? {
        switch value {
        case .integer(let integer): "\(integer)"
        case .bool(let flag): flag ? "1" : "0"
        case .double(let double), .date(let double): literal(double)
        case .string(let text), .uri(let text): quoted(text: text)
        case .decimal(let decimal): quoted(text: decimal.description)
        case .data(let data): "X'\([UInt8](data).hexadecimal)'"
        case .uuid(let uuid): "X'\(withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) }.hexadecimal)'"
        default: nil
        }
    }

    private static func literal(_ double: Double) -> String {
        if double.isNaN { return quoted(text: "NaN") }
        if double.isInfinite { return double < 0 ? "-9e999" : "9e999" }
        return "\(double)"
    }

    /// A text. A statement ends at a zero byte, so such a text is written as its bytes.
    private static func quoted(text: String) -> String {
        text.utf8.contains(0)
            ? "(CAST(X'\(Array(text.utf8).hexadecimal)' AS TEXT))"
            : "'\(text.replacing("'", with: "''"))'"
    }
}
