/// Functions that produce SQL text.
package enum SQL {
    package static func quoted(_ identifier: String) -> String {
        "\""
            + identifier.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"") + "\""
    }

    /// A text, quoted for SQL.
    static func text(_ text: String) -> String {
        "'"
            + text.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "''") + "'"
    }

    /// A JSON array of record IDs, for `json_each`.
    static func json(_ ids: [LocalID]) -> String {
        "[" + ids.map(String.init).joined(separator: ",") + "]"
    }
}
