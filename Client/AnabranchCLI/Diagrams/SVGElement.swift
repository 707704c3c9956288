/// One element of an SVG drawing.
struct SVGElement {
    let name: String
    private var attributes: [(name: String, value: String)]
    /// The text; an element has a text or children.
    let text: String
    /// True if line breaks in the text belong to its form.
    private let keepsLines: Bool
    var children: [SVGElement] = []

    init(
        _ name: String, _ attributes: KeyValuePairs<String, String> = [:], text: String = "",
        keepsLines: Bool = false
    ) {
        self.name = name
        self.attributes = attributes.map { ($0.key, $0.value) }
        self.text = text
        self.keepsLines = keepsLines
    }

    mutating func set(_ attribute: String, _ value: String?) {
        if let value { attributes.append((attribute, value)) }
    }

    /// A number with at most one decimal.
    static func number(_ value: Double) -> String {
        let tenths = (value * 10).rounded()
        let whole = (tenths / 10).rounded(.towardZero)
        return tenths == whole * 10 ? "\(Int(whole))" : "\(tenths / 10)"
    }

    func write(to output: inout String, depth: Int = 0) {
        let margin = String(repeating: "  ", count: depth)
        output += "\(margin)<\(name)"
        for (name, value) in attributes { output += " \(name)=\"\(Self.escaped(value))\"" }
        if children.isEmpty {
            output += text.isEmpty ? "/>\n" : ">\(escapedText)</\(name)>\n"
            return
        }
        output += ">\n"
        for child in children { child.write(to: &output, depth: depth + 1) }
        output += "\(margin)</\(name)>\n"
    }

    private var escapedText: String {
        guard keepsLines else { return Self.escaped(text) }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Self.escaped(String($0)) }.joined(separator: "\n")
    }

    /// The text for XML; control characters, which XML has no form for, become visible symbols.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in TextTable.printable(text) {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.append(character)
            }
        }
        return result
    }
}
