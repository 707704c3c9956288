import Foundation

/// One JSON object on one line, with its keys in the order in which they were added.
struct JSONLine {
    private var text = "{"

    mutating func append(_ key: String, _ value: String?) {
        if let value { add(key, Self.quoted(value)) }
    }

    mutating func append(_ key: String, _ value: Int64?) {
        if let value { add(key, "\(value)") }
    }

    mutating func append(_ key: String, _ value: Bool) { add(key, value ? "true" : "false") }

    /// Adds a number with three decimal places.
    mutating func append(_ key: String, _ value: Double) {
        add(key, "\((value * 1000).rounded() / 1000)")
    }

    /// Adds a list of objects.
    mutating func append(_ key: String, _ objects: [JSONLine]) {
        add(key, "[" + objects.map { $0.text + "}" }.joined(separator: ",") + "]")
    }

    /// A time as text, from whole milliseconds since 1970: a `Date` would round them.
    static func time(_ wallMilliseconds: Int64) -> String {
        let (seconds, milliseconds) = wallMilliseconds.quotientAndRemainder(dividingBy: 1000)
        let text = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        return text.dropLast() + "." + "\(1000 + milliseconds)".dropFirst() + "Z"
    }

    private mutating func add(_ key: String, _ value: String) {
        if text.utf8.count > 1 { text += "," }
        text += Self.quoted(key) + ":" + value
    }

    func finish() -> String { text + "}\n" }

    private static func quoted(_ value: String) -> String {
        var quoted = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
