/// One element of a model file, with the line at which it begins.
struct ModelElement {
    let name: String
    let attributes: [String: String]
    let line: Int
    var children: [ModelElement] = []

    /// The text of an XML attribute; `nil` if it is missing or empty.
    func text(_ attribute: String) -> String? {
        guard let text = attributes[attribute], !text.isEmpty else { return nil }
        return text
    }

    /// Reads `YES` or `true`; a missing text is `NO`.
    ///
    /// Any other text also reads as `NO`; the reader reports it as a problem for known flags.
    func flag(_ attribute: String) -> Bool { FlagText.flag(of: text(attribute) ?? "NO") ?? false }

    func children(named name: String) -> [ModelElement] { children.filter { $0.name == name } }
}
