import AnabranchServer
import Foundation

/// The options and words after a command.
struct CommandOptions {
    let command: String
    private var values: [String: String] = [:]
    private var flags: Set<String> = []
    private(set) var words: [String] = []
    private(set) var wantsHelp = false

    /// Parses arguments.
    ///
    /// - Parameters:
    ///   - known: The options that take a value, without their dashes.
    ///   - flags: The options without a value.
    ///
    /// - Throws: `UsageError` if an option is unknown, or if an option of `known` has no value or
    ///   is given twice.
    init(
        _ arguments: [String], of command: String, known: Set<String>, flags: Set<String> = []
    ) throws {
        self.command = command
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--help" || argument == "-h" {
                wantsHelp = true
            } else if argument.hasPrefix("--"), flags.contains(String(argument.dropFirst(2))) {
                self.flags.insert(String(argument.dropFirst(2)))
            } else if argument.hasPrefix("--") {
                try take(String(argument.dropFirst(2)), from: &rest, known: known)
            } else {
                words.append(argument)
            }
        }
    }

    private mutating func take(
        _ option: String, from rest: inout ArraySlice<String>, known: Set<String>
    ) throws {
        // `--zone=` has the empty text as its value, and does not take the next argument.
        let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map(String.init)
        let name = parts.first ?? ""
        guard known.contains(name) else { throw usage("There is no option --\(name).") }
        guard values[name] == nil else { throw usage("The option --\(name) is given twice.") }
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
            throw usage("The option --\(name) needs a value.")
        }
        values[name] = value
    }

    func usage(_ message: String) -> UsageError { UsageError(message, command: command) }

    func isSet(_ flag: String) -> Bool { flags.contains(flag) }

    subscript(name: String) -> String? { values[name] }

    func required(_ name: String, as what: String) throws -> String {
        guard let value = values[name] else {
            throw usage("The option --\(name) is missing: type --\(name) and \(what).")
        }
        return value
    }

    func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw usage(
                "The option --\(name) takes a number from \(range.lowerBound) to "
                    + "\(range.upperBound), not \"\(text)\".")
        }
        return number
    }

    /// The first word, which is one of a command's actions.
    func action(of actions: [String]) throws -> String {
        let list = actions.dropLast().joined(separator: ", ") + " or " + (actions.last ?? "")
        guard let action = words.first else { throw usage("The action is missing: type \(list).") }
        guard actions.contains(action) else {
            throw usage("There is no \"\(command) \(action)\": type \(list).")
        }
        return action
    }

    func expectNoWords() throws {
        if let word = words.first {
            throw usage("There are too many words: \"\(word)\" is not expected.")
        }
    }

    /// Opens the store that `--store` names, or else the environment variable `ANABRANCHD_STORE`.
    ///
    /// - Parameter isCreated: True if a missing store is created. A command that only reads does
    ///   not create a store for a mistyped name.
    ///
    /// - Throws: `UsageError` if no store is named or its name is malformed. `HTTPServerError` if
    ///   the store is missing and is not created.
    func store(creating isCreated: Bool = false) throws -> ZoneStore {
        let text = values["store"] ?? ProcessInfo.processInfo.environment["ANABRANCHD_STORE"]
        guard let text else {
            throw usage("The option --store is missing: type --store sqlite:DIRECTORY.")
        }
        let location = try parsed(text)
        guard isCreated else { return try existing(location) }
        return try ZoneStore(location, connections: connections)
    }

    /// The greatest number of connections to a database.
    private var connections: Int {
        get throws { try number("database-connections", in: 2...10_000) ?? 16 }
    }

    private func parsed(_ text: String) throws -> StoreLocation {
        do { return try StoreLocation(text) } catch { throw usage(error.message) }
    }

    func location(_ name: String, as what: String) throws -> StoreLocation {
        try parsed(required(name, as: what))
    }

    /// Opens a store that is there already.
    func existing(_ location: StoreLocation) throws -> ZoneStore {
        if let directory = location.directory, !Self.isDirectory(directory) {
            throw HTTPServerError(
                "There is no store \(location): \"anabranchd token create\" creates one.")
        }
        return try ZoneStore(location, connections: connections)
    }

    /// The directory of a backup, which is the only word after the command.
    func backupDirectory() throws -> String {
        guard let word = words.first, words.count == 1 else {
            throw usage("Type the directory of the backup, and nothing else.")
        }
        guard !word.contains("://") else {
            throw usage("A backup is a directory of files, and not in a database.")
        }
        return word
    }

    private static func isDirectory(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            && isDirectory.boolValue
    }
}
