import AnabranchMacroExpansion

/// A rule: files, folders and types are named after concepts.
struct NameRule: FileRule {
    static let forbidden: Set<String> = [
        "utility", "utilities", "util", "utils", "helper", "helpers", "common", "extension",
        "extensions", "manager", "managers", "info", "misc",
    ]

    func violations(in file: SourceFile) -> [Violation] {
        pathViolations(in: file) + typeViolations(in: file)
    }

    private func pathViolations(in file: SourceFile) -> [Violation] {
        file.components.enumerated().compactMap { depth, component in
            guard !component.hasPrefix(".") else { return nil }
            let isFile = depth == file.components.count - 1
            let name = isFile ? component.prefix { $0 != "." } : component
            let isNumberedSource = file.isSwift && Self.isNumbered(name)
            guard Self.isForbidden(name) || isNumberedSource else { return nil }
            return Violation(
                path: file.path, line: 1,
                message: "\(isFile ? "File" : "Folder") name \(component) says nothing. Name it "
                    + "after the concept that it holds.")
        }
    }

    private func typeViolations(in file: SourceFile) -> [Violation] {
        Self.typeNames(in: file.tokens).compactMap { token in
            guard Self.isForbidden(token.text[...]) || Self.isNumbered(token.text[...]) else {
                return nil
            }
            return Violation(
                path: file.path, line: token.line,
                message: "Type name \(token.text) says nothing. Name it after what it is.")
        }
    }

    private static func typeNames(in tokens: [SwiftToken]) -> [SwiftToken] {
        let code = tokens.filter { $0.kind != .comment }
        return zip(code.indices, code.dropFirst()).compactMap { index, name in
            guard code[index].kind == .word, declarers.contains(code[index].text),
                name.kind == .word || name.kind == .quotedWord,
                index == 0 || !(code[index - 1].isWord("import") || code[index - 1].isMark(".")),
                name.text.first?.isUppercase == true
            else { return nil }
            return name
        }
    }

    private static let declarers: Set<String> = [
        "struct", "class", "enum", "actor", "protocol", "typealias", "associatedtype",
    ]

    /// Returns whether the first or last word of a camel-case name, or of a part of it between `+`,
    /// `-` and `_`, is forbidden.
    static func isForbidden(_ name: Substring) -> Bool {
        name.split { "+-_ ".contains($0) }.contains { part in
            let words = camelCaseWords(of: part)
            return [words.first, words.last].contains { word in
                word.map { forbidden.contains($0.lowercased()) } ?? false
            }
        }
    }

    /// Returns whether the name only numbers another one: `Store2`, unlike `UInt8`, `UTF8` or
    /// `SHA256`.
    static func isNumbered(_ name: Substring) -> Bool {
        guard let digit = name.last, digit.isASCII, digit.isNumber,
            let letter = name.dropLast().last, letter.isLowercase
        else { return false }
        return !name.hasSuffix("Int8")
    }

    private static func camelCaseWords(of name: Substring) -> [Substring] {
        var (words, start) = ([Substring](), name.startIndex)
        var index = name.startIndex
        while index < name.endIndex {
            let next = name.index(after: index)
            if next < name.endIndex, name[next].isUppercase, !name[index].isUppercase {
                words.append(name[start..<next])
                start = next
            }
            index = next
        }
        words.append(name[start...])
        return words
    }
}
