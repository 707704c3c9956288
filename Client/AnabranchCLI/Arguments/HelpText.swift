extension CommandSpecification {
    /// The usage line without the program's name.
    var usage: String {
        let places = arguments.map { argument in
            let name = argument.name + (argument.isRepeated ? "…" : "")
            return argument.isRequired ? name : "[\(name)]"
        }
        return ([name] + places + (options.isEmpty ? [] : ["[OPTION…]"])).joined(separator: " ")
    }

    var help: String {
        var sections = ["Usage: anabranch \(usage)", summary]
        sections += discussion.map { HelpText.wrapped($0) }
        if !arguments.isEmpty {
            sections.append(HelpText.list("Arguments:", arguments.map { ($0.name, $0.summary) }))
        }
        let takesStore = arguments.first?.name == "STORE"
        let all = options + (takesStore ? [.store] : []) + [.help]
        sections.append(HelpText.list("Options:", all.map { ($0.form, $0.summary) }))
        if !examples.isEmpty {
            let lines = examples.map { "  anabranch \($0.words)\n      \($0.meaning)" }
            sections.append((["Examples:"] + lines).joined(separator: "\n"))
        }
        return sections.joined(separator: "\n\n") + "\n"
    }
}

extension OptionSpecification {
    fileprivate var form: String {
        let long = placeholder.map { "--\(name) \($0)" } ?? "--\(name)"
        return short.map { "-\($0), \(long)" } ?? long
    }
}

/// Lays out text for a terminal of 80 columns.
enum HelpText {
    static let width = 78

    static func wrapped(_ text: String, indent: Int = 0, width: Int = width) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent + line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        lines.append(line)
        return lines.joined(separator: "\n\(margin)")
    }

    /// Lays out two columns below a heading; the left column is at most 26 characters wide.
    static func list(_ heading: String, _ rows: [(String, String)]) -> String {
        let column = min(rows.map(\.0.count).max() ?? 0, 26)
        let lines = rows.map { name, summary in
            let text = wrapped(summary, indent: column + 4)
            guard name.count <= column else {
                return "  \(name)\n" + String(repeating: " ", count: column + 4) + text
            }
            let padding = String(repeating: " ", count: column - name.count + 2)
            return "  \(name)\(padding)\(text)"
        }
        return ([heading] + lines).joined(separator: "\n")
    }
}
