import Foundation

/// A configuration file: lines of `key = value`, in sections with names that precede their keys.
///
/// The line `certificate = FILE` in the section `[tls]` is the setting `tls-certificate`. A line
/// that begins with `#` is a comment. A value may be in double quotes.
struct ConfigurationFile {
    /// A value and the line that has it.
    struct Entry {
        var text: String
        var line: Int
    }

    let path: String
    private(set) var entries: [String: Entry] = [:]

    /// Reads a file.
    ///
    /// - Parameter known: The names of all settings.
    ///
    /// - Throws: ``ConfigurationError`` with the line that is malformed, unknown or repeated.
    init(path: String, known: Set<String>) throws {
        let bytes: Data
        do { bytes = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
            throw ConfigurationError(
                "Can't read the configuration file \(path) because "
                    + "\(String(cString: strerror(errno))).")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationError("Can't read \(path) because it is not text in UTF-8.")
        }
        self.path = path
        try read(text, known)
    }

    private mutating func read(_ text: String, _ known: Set<String>) throws {
        var section = ""
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        for (index, line) in lines.enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            if line.hasPrefix("[") {
                section = try sectionName(line, at: index + 1, known)
            } else {
                try read(line, in: section, at: index + 1, known)
            }
        }
    }

    private func sectionName(
        _ line: String, at number: Int, _ known: Set<String>
    ) throws -> String {
        let name = line.dropFirst().dropLast().trimmingCharacters(in: .whitespaces)
        guard line.hasSuffix("]"), known.contains(where: { $0.hasPrefix(name + "-") }) else {
            throw error(number, "there is no section \(line)")
        }
        return name + "-"
    }

    private mutating func read(
        _ line: String, in section: String, at number: Int, _ known: Set<String>
    ) throws {
        guard let equals = line.firstIndex(of: "=") else {
            throw error(number, "it is neither \"key = value\" nor a section such as [tls]")
        }
        let key = line[..<equals].trimmingCharacters(in: .whitespaces)
        let name = section + key
        guard known.contains(name) else {
            let place = section.isEmpty ? "" : " in the section [\(section.dropLast())]"
            throw error(number, "there is no setting \"\(key)\"\(place)")
        }
        if let earlier = entries[name] {
            throw error(number, "line \(earlier.line) has \(name) already")
        }
        let value = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
        entries[name] = Entry(text: Self.unquoted(value), line: number)
    }

    private static func unquoted(_ value: String) -> String {
        guard value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
        return String(value.dropFirst().dropLast())
    }

    private func error(_ line: Int, _ cause: String) -> ConfigurationError {
        ConfigurationError("Can't use line \(line) of \(path) because \(cause).")
    }
}

/// An error in the configuration file or in an environment variable.
struct ConfigurationError: Error, CustomStringConvertible {
    let description: String

    init(_ message: String) { description = message }
}
