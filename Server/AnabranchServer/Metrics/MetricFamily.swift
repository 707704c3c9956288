/// A number that is measured, with one value for each combination of labels.
package protocol MetricFamily: Sendable {
    var description: MetricDescription { get }
    /// The lines of all values, without the comments before them.
    func lines() -> [String]
}

/// The name and the labels of a family of values.
///
/// Names follow Prometheus's conventions: units are seconds and bytes, and the name of a counter
/// ends in `_total`.
package struct MetricDescription: Sendable {
    let name: String
    let help: String
    let type: String
    let labels: [String]

    /// Returns a line in the text format.
    ///
    /// - Parameters:
    ///   - suffix: The end of the name, such as `_bucket`.
    ///   - values: The values of the labels, and further labels with their values.
    func line(
        suffix: String = "", _ values: [String], and further: [(String, String)] = [],
        _ number: Double
    ) -> String {
        let pairs = zip(labels, values).map { ($0, $1) } + further
        let text = pairs.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
        let braces = pairs.isEmpty ? "" : "{\(text)}"
        return "\(name)\(suffix)\(braces) \(Self.text(number))"
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for character in value {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return escaped
    }

    static func text(_ number: Double) -> String {
        if number == .infinity { return "+Inf" }
        if let whole = Int64(exactly: number) { return "\(whole)" }
        return "\(number)"
    }
}
