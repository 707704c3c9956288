/// Tells a command's words apart by its specification.
///
/// `--name value` and `--name=value`, `-h` for a flag with a short form, `--` before words that
/// begin with a dash; `-` alone is a word (standard input).
struct ArgumentParser {
    let specification: CommandSpecification
    /// What the environment names as the store.
    let environmentStore: String?

    private var options: [OptionSpecification] {
        specification.options + [.help] + (takesStore ? [.store] : [])
    }
    private var takesStore: Bool { specification.arguments.first?.name == "STORE" }

    init(_ specification: CommandSpecification, environmentStore: String? = nil) {
        self.specification = specification
        self.environmentStore = environmentStore
    }

    /// - Parameter words: What follows the command's name.
    func parse(_ words: [String]) throws(UsageError) -> ParsedArguments {
        var positional: [String] = []
        var values: [String: [String]] = [:]
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                positional += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                positional.append(word)
                continue
            }
            let (option, value) = try option(word, &rest)
            if !option.isRepeated, values[option.name] != nil {
                throw error("The option --\(option.name) is there twice.")
            }
            values[option.name, default: []].append(value)
        }
        if values["help"] != nil {
            return ParsedArguments(command: specification.name, values: values, words: [:])
        }
        return ParsedArguments(
            command: specification.name, values: values,
            words: try assign(positional, store: values["store"]?.first))
    }

    private func option(
        _ word: String, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> (OptionSpecification, String) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = options.first(where: { $0.isWritten(name) }) else {
            throw unknown(name)
        }
        guard let placeholder = option.placeholder else {
            guard parts.count == 1 else {
                throw error("The option --\(option.name) takes no value.")
            }
            return (option, "")
        }
        if parts.count == 2 { return (option, String(parts[1])) }
        guard let value = rest.popFirst(), value != "--" else {
            throw error(
                "The option --\(option.name) needs a value: --\(option.name) \(placeholder).")
        }
        return (option, value)
    }

    private func unknown(_ name: String) -> UsageError {
        let known = options.map { "--\($0.name)" }
        if let meant = NearestWord.suggestion(for: name, among: known) {
            return error("There is no option \(name). Did you mean \(meant)?")
        }
        return error(
            "There is no option \(name). A word that begins with a dash goes behind '--'.")
    }

    private func error(_ message: String) -> UsageError {
        UsageError(message, command: specification.name)
    }
}

extension OptionSpecification {
    fileprivate func isWritten(_ word: String) -> Bool {
        word == "--\(name)" || short.map { word == "-\($0)" } ?? false
    }
}

extension ArgumentParser {
    /// Gives the words their places.
    ///
    /// Where the environment names the store, the word for it may still be there: it is taken as
    /// the store if it has a slash or a dot, which no name of an entity or a change set has. Where
    /// the next argument is a file's name, it is there if there is a word more than that needs.
    private func isStoreWritten(_ words: ArraySlice<String>) -> Bool {
        let others = specification.arguments.dropFirst()
        guard others.first?.isFile ?? false else {
            return words.first.map { $0.contains("/") || $0.contains(".") } ?? false
        }
        return words.count > others.count && !others.contains(where: \.isRepeated)
    }

    private func assign(
        _ words: [String], store: String?
    ) throws(UsageError) -> [String: [String]] {
        var assigned: [String: [String]] = [:]
        var places = specification.arguments[...]
        var words = words[...]
        if takesStore {
            if let store = store ?? (isStoreWritten(words) ? nil : environmentStore) {
                assigned["STORE"] = [store]
                places.removeFirst()
            }
        }
        for place in places {
            let taken = place.isRepeated ? words : words.prefix(1)
            words = words.dropFirst(taken.count)
            if !taken.isEmpty { assigned[place.name] = Array(taken) }
        }
        let missing = places.filter { $0.isRequired && assigned[$0.name] == nil }
        guard missing.isEmpty else {
            let names = missing.map(\.name).joined(separator: " and ")
            throw error(
                "'\(specification.name)' needs \(names): anabranch \(specification.usage)")
        }
        if let first = words.first {
            throw error(
                "'\(specification.name)' has no place for '\(first)': anabranch "
                    + specification.usage)
        }
        return assigned
    }
}
