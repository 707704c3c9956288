/// A template that composes a record's key from a row: `code`, `code[2]`, `{code[2]}-{parent}`.
struct KeyTemplate {
    private enum Part {
        case text(String)
        /// The text of a column, or its first `length` characters.
        case column(String, length: Int?)
    }

    private let parts: [Part]

    /// Parses a template.
    ///
    /// - Throws: ``UsageError`` for braces and brackets that do not match.
    init(_ text: String, _ arguments: ParsedArguments) throws(UsageError) {
        guard text.contains("{") else {
            parts = [try Self.column(text, arguments)]
            return
        }
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else {
                throw arguments.error("In '\(text)' a brace isn't closed.")
            }
            if open != rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            parts.append(try Self.column(String(rest[rest.index(after: open)..<close]), arguments))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.parts = parts
    }

    private static func column(
        _ text: String, _ arguments: ParsedArguments
    ) throws(UsageError) -> Part {
        guard text.hasSuffix("]"), let open = text.lastIndex(of: "[") else {
            guard !text.isEmpty else { throw arguments.error("--link lacks the column's name.") }
            return .column(text, length: nil)
        }
        let digits = text[text.index(after: open)...].dropLast()
        guard let count = Int(digits), count > 0, open != text.startIndex else {
            throw arguments.error(
                "'\(text)' names no part of a column. Type COLUMN[N] for its first N characters.")
        }
        return .column(String(text[..<open]), length: count)
    }

    /// The columns of the key, in order.
    var columns: [String] {
        parts.compactMap { part in
            if case .column(let name, _) = part { name } else { nil }
        }
    }

    /// The keys of a row.
    ///
    /// - Parameter texts: Returns the texts of a column.
    ///
    /// - Returns: Empty if a column is empty; several keys if the only column contains several.
    func keys(_ texts: (String) throws -> [String]) rethrows -> [String] {
        var keys = [""]
        for part in parts {
            switch part {
            case .text(let text): keys = keys.map { $0 + text }
            case .column(let name, let length):
                let found = try texts(name).map { text in
                    length.map { String(text.prefix($0)) } ?? text
                }
                keys = keys.flatMap { key in found.map { key + $0 } }
            }
        }
        return keys
    }
}
