import AnabranchModel

/// Parses the words after a command's name by its specification.
///
/// It accepts `--name value` and `--name=value`, and `-h` for a flag with a short form. Words after
/// `--` may begin with a dash; `-` alone is a word (standard input).
struct ArgumentParser {
    let specification: CommandSpecification
    /// The store that the environment variable names.
    let environmentStore: String?

    private var options: [OptionSpecification] {
        specification.options + [.help] + (takesStore ? [.store] : [])
    }
    private var takesStore: Bool { specification.arguments.first?.name == "STORE" }

    init(_ specification: CommandSpecification, environmentStore: String? = nil) {
        self.specification = specification
        self.environmentStore = environmentStore
    }

    /// Parses a command line.
    ///
    /// - Parameter words: The words after the command's name.
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
                throw error("The option --\(option.name) is given twice.")
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
        return error("There is no option \(name). Put '--' before words that begin with a dash.")
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
    /// Returns true if the first word is the store, although the environment names one.
    ///
    /// If the next argument is not a file, a first word with a slash or a dot is the store: no name
    /// of an entity or a change set contains one. If the next argument is a file, the store is
    /// present if there is one word more than the other arguments need.
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
            throw error("'\(specification.name)' needs \(names): anabranch \(specification.usage)")
        }
        if let first = words.first {
            throw error(
                "'\(specification.name)' takes no further argument '\(first)': anabranch "
                    + specification.usage)
        }
        return assigned
    }
}
