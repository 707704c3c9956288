/// One element of an XML text that is to be written, with its attributes in their order.
struct XMLNode {
    let name: String
    private(set) var attributes: [(name: String, value: String)] = []
    var children: [XMLNode] = []

    init(_ name: String) { self.name = name }

    /// Adds an attribute; `nil` adds none.
    mutating func set(_ attribute: String, _ value: String?) {
        if let value { attributes.append((attribute, value)) }
    }

    /// Adds an attribute with the text `YES` for a flag that is set.
    mutating func set(_ attribute: String, flag: Bool) {
        if flag { attributes.append((attribute, "YES")) }
    }

    /// The whole text with its XML declaration, in Xcode's layout.
    var document: String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"
        write(to: &text, depth: 0)
        return text
    }

    private func write(to text: inout String, depth: Int) {
        let margin = "\n" + String(repeating: "    ", count: depth)
        text += "\(margin)<\(name)"
        for (name, value) in attributes { text += " \(name)=\"\(Self.escaped(value))\"" }
        guard !children.isEmpty else {
            text += "/>"
            return
        }
        text += ">"
        for child in children { child.write(to: &text, depth: depth + 1) }
        text += "\(margin)</\(name)>"
    }

    /// The text between the quotes of an attribute.
    ///
    /// Line breaks and tabs are written as references, because a parser replaces them by spaces.
    private static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "\t", "\n", "\r": result.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Returns true if XML can hold the character.
    ///
    /// Source: Extensible Markup Language 1.0, fifth edition, production 2.
    static func allows(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...: true
        default: false
        }
    }
}
