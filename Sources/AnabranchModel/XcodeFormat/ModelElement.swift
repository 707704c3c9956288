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

    /// `YES`, rarely `true`; what is absent is `NO`.
    func flag(_ attribute: String) -> Bool {
        switch attributes[attribute]?.lowercased() {
        case "yes", "true", "1": true
        default: false
        }
    }

    func children(named name: String) -> [ModelElement] { children.filter { $0.name == name } }
}
