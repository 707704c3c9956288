/// How a record's key is put together from a row: `code`, `code[2]`, `{code[2]}-{parent}`.
struct KeyTemplate {
    private enum Part {
        case text(String)
        /// With a length, only so many characters of the column count.
        case column(String, length: Int?)
    }

    private let parts: [Part]

    /// - Throws: ``UsageError`` for braces and brackets that don't match.
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
            parts.append(
                try Self.column(String(rest[rest.index(after: open)..<close]), arguments))
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

    /// The columns that the key is made of, in order.
    var columns: [String] {
        parts.compactMap { part in
            if case .column(let name, _) = part { name } else { nil }
        }
    }

    /// - Parameter texts: Of each column what it holds; `nil` where it holds nothing.
    /// - Returns: No key where a column holds nothing; several where the only one holds several.
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
