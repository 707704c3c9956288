/// One element of a model file, with the line where it begins.
struct ModelElement {
    let name: String
    let attributes: [String: String]
    let line: Int
    var children: [ModelElement] = []

    /// An attribute's text; an empty one is as good as none.
    func text(_ attribute: String) -> String? {
        guard let text = attributes[attribute], !text.isEmpty else { return nil }
        return text
    }

    /// `YES`, rarely `true`; what is absent is `NO`. Other texts are a problem that the reader
    /// notes when it comes to the element.
    func flag(_ attribute: String) -> Bool { Self.flag(text(attribute) ?? "NO") ?? false }

    /// - Returns: `nil` where the text is neither `YES` nor `NO`.
    static func flag(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "1": true
        case "no", "false", "0": false
        default: nil
        }
    }

    func children(named name: String) -> [ModelElement] { children.filter { $0.name == name } }
}
