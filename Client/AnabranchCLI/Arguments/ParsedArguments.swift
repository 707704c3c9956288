/// The words of a command line by argument and option.
struct ParsedArguments {
    let command: String
    private let values: [String: [String]]
    private let words: [String: [String]]

    init(command: String, values: [String: [String]], words: [String: [String]]) {
        self.command = command
        self.values = values
        self.words = words
    }

    func isSet(_ option: String) -> Bool { values[option] != nil }

    func text(_ option: String) -> String? { values[option]?.first }

    func texts(_ option: String) -> [String] { values[option] ?? [] }

    /// The whole number that an option gives.
    ///
    /// - Throws: ``UsageError`` if the value is not a whole number in the range.
    func number(_ option: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = text(option) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let bounds =
                range.upperBound == .max
                ? "of at least \(range.lowerBound)"
                : "from \(range.lowerBound) to \(range.upperBound)"
            throw error("--\(option) takes a whole number \(bounds), not '\(text)'.")
        }
        return number
    }

    /// The choice that an option gives.
    ///
    /// - Throws: ``UsageError`` if the value is not one of the choices.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ option: String, of type: Choice.Type = Choice.self
    ) throws(UsageError) -> Choice? where Choice.RawValue == String {
        guard let text = text(option) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw error("--\(option) is one of \(known), not '\(text)'.")
        }
        return choice
    }

    /// A required argument; the parser has checked that it is present.
    func word(_ argument: String) throws(UsageError) -> String {
        guard let word = words[argument]?.first else {
            throw error("'\(command)' needs \(argument).")
        }
        return word
    }

    func optionalWord(_ argument: String) -> String? { words[argument]?.first }

    func allWords(_ argument: String) -> [String] { words[argument] ?? [] }

    func error(_ message: String) -> UsageError { UsageError(message, command: command) }
}

extension ParsedArguments {
    /// The separator of several values in one field of a table.
    func separator() throws(UsageError) -> Character {
        guard let text = text("separator") else { return ";" }
        guard let separator = text.first, text.count == 1 else {
            throw error("--separator takes one character, not '\(text)'.")
        }
        return separator
    }
}
