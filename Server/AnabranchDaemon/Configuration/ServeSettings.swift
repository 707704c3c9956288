import AnabranchServer
import Foundation

/// The settings of `anabranchd serve`: an option overrides an environment variable, and that
/// overrides the configuration file.
struct ServeSettings {
    /// The place that gives a setting.
    enum Place {
        case option
        case variable(String)
        case file(String, line: Int)
    }

    private let options: CommandOptions
    private let file: ConfigurationFile?
    private let environment: [String: String]

    /// Reads the configuration file, which the option `--config` or the environment variable
    /// `ANABRANCHD_CONFIG` names; there is none by default.
    init(
        _ options: CommandOptions,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        self.options = options
        self.environment = environment
        let path = options["config"] ?? environment["ANABRANCHD_CONFIG"]
        file = try path.map {
            try ConfigurationFile(path: $0, known: Set(ServeOption.all.map(\.name)))
        }
    }

    /// The text of a setting and its place; `nil` if no place has it.
    func found(_ name: String) -> (text: String, place: Place)? {
        if let text = options[name] { return (text, .option) }
        let variable = ServeOption(name: name, value: "", meaning: "").variable
        if let text = environment[variable] { return (text, .variable(variable)) }
        guard let file, let entry = file.entries[name] else { return nil }
        return (entry.text, .file(file.path, line: entry.line))
    }

    subscript(name: String) -> String? { found(name)?.text }

    /// The error of a wrong value.
    ///
    /// - Parameter cause: The end of a sentence that begins with the setting, such as "takes a
    ///   number".
    func wrong(_ name: String, _ cause: String) -> any Error {
        let setting = found(name)
        let cause = SecretWords([setting?.text ?? ""]).hidden(in: cause)
        return switch setting?.place {
        case .option, nil: options.usage("The option --\(name) \(cause).")
        case .variable(let variable):
            ConfigurationError("The environment variable \(variable) \(cause).")
        case .file(let path, let line):
            ConfigurationError("The setting \(name) in line \(line) of \(path) \(cause).")
        }
    }

    /// Reads a number.
    ///
    /// - Returns: `nil` if no place has the setting.
    func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw wrong(
                name,
                "takes a number from \(range.lowerBound) to \(range.upperBound), not \"\(text)\"")
        }
        return number
    }

    func location() throws -> StoreLocation {
        guard let text = self["store"] else {
            throw options.usage("The option --store is missing: type --store sqlite:DIRECTORY.")
        }
        do { return try StoreLocation(text) } catch { throw unusable("store", error.message) }
    }

    /// The error of a text that names a place which can't be used.
    ///
    /// - Parameter message: Whole sentences.
    func unusable(_ name: String, _ message: String) -> any Error {
        guard case .option? = found(name)?.place else { return ConfigurationError(message) }
        return options.usage(message)
    }

    /// One setting that some place gives.
    struct Given {
        let name: String
        let text: String
        let place: Place

        /// The text, without the password of a URL.
        var shownText: String {
            switch name {
            case "store": (try? StoreLocation(text))?.description ?? "…"
            case "validate": ValidationPlace.withoutPassword(text)
            default: SecretWords([text]).hidden(in: text)
            }
        }
    }

    /// The settings that some place gives, in the order of the help.
    var given: [Given] {
        ServeOption.all.compactMap { option in
            found(option.name).map { Given(name: option.name, text: $0.text, place: $0.place) }
        }
    }
}

extension ServeSettings.Place: CustomStringConvertible {
    /// The place as words, such as "line 3 of /etc/anabranchd.conf".
    var description: String {
        switch self {
        case .option: "command line"
        case .variable(let name): name
        case .file(let path, let line): "line \(line) of \(path)"
        }
    }
}
