import AnabranchMacroExpansion

/// A rule: a type can be seen, because few files of its module extend it.
struct SpreadRule {
    static let fileLimit = 12
    /// The types that more files extend, with their numbers, which may only fall.
    static let numbers = [
        "Anabranch.ManagedObject": 43, "Anabranch.ManagedObjectContext": 67,
        "Anabranch.PersistentStoreCoordinator": 20, "AnabranchServer.ZoneService": 13,
        "AnabranchStore.SaveOperation": 15, "AnabranchStore.Store": 44,
        "AnabranchStore.StoreReader": 26,
    ]

    /// By the last of the files that extend a type of their module.
    private let violations: [String: [Violation]]

    init(files: [SourceFile], numbers: [String: Int] = Self.numbers) {
        var declared: Set<String> = []
        var extensions: [String: Set<String>] = [:]
        for file in files where file.isIn(["Sources", "Server", "Client", "Plugins"]) {
            for (word, name) in Self.types(in: file) {
                let name = "\(file.components[1]).\(name)"
                if word == "extension" {
                    extensions[name, default: []].insert(file.path)
                } else {
                    declared.insert(name)
                }
            }
        }
        let found = extensions.filter { declared.contains($0.key) }.compactMap { name, paths in
            Self.violation(of: name, paths, numbers[name])
        }
        violations = Dictionary(grouping: found, by: \.path)
    }

    func violations(in file: SourceFile) -> [Violation] { violations[file.path] ?? [] }

    /// The names of the types that a file declares or extends, each with the word before it.
    private static func types(in file: SourceFile) -> [(word: String, name: String)] {
        let words: Set = ["class", "struct", "enum", "actor", "extension"]
        let code = file.tokens
        return code.indices.dropLast(2).compactMap { index in
            guard code[index].kind == .word, words.contains(code[index].text),
                code[index + 1].isName, !code[index + 2].isMark(".")
            else { return nil }
            return (code[index].text, code[index + 1].text)
        }
    }

    private static func violation(
        of name: String, _ paths: Set<String>, _ number: Int?
    ) -> Violation? {
        let limit = number ?? fileLimit
        guard let last = paths.max(), paths.count > limit || number != nil && paths.count < limit
        else { return nil }
        let advice =
            paths.count > limit
            ? "more than \(limit). Give a part of it a type of its own, or join files that are one "
                + "thought."
            : "fewer than \(limit). Lower its number in SpreadRule."
        return Violation(
            path: last, line: 1, message: "\(paths.count) files extend \(name), \(advice)")
    }
}
