import AnabranchMacroExpansion

/// Which comments the rules of prose read.
enum ProseScope {
    static let sources: Set<String> = ["Sources", "Server", "Client", "Plugins"]

    /// Folders that will be built anew: only the comments of their public declarations are held
    /// to the rules until then.
    static let foldersToBeRebuilt = [
        "Contexts", "Relationships", "Undo", "Policies", "Identity", "Children",
    ].map { "Sources/Anabranch/\($0)/" }

    static func isLeftOut(_ file: SourceFile) -> Bool {
        foldersToBeRebuilt.contains { file.path.hasPrefix($0) }
    }
}

/// The comments of a file's public declarations.
struct PublicComments {
    private let lines: Set<Int>

    init(of file: SourceFile) {
        var lines = Set<Int>()
        var pending: [Int] = []
        var lastComment = -1
        for (index, token) in file.tokens.enumerated() {
            if token.kind == .comment {
                guard token.startsLine, token.text.hasPrefix("///") else { continue }
                if token.line != lastComment + 1 { pending = [] }
                pending.append(token.line)
                lastComment = token.line
            } else if !pending.isEmpty {
                if Self.isPublic(file.tokens[index...]) { lines.formUnion(pending) }
                pending = []
            }
        }
        self.lines = lines
    }

    func contains(_ comment: SwiftToken) -> Bool { lines.contains(comment.line) }

    /// Whether a declaration that begins here is public: the word comes among its attributes and
    /// modifiers. A case of an enumeration may be public, too.
    private static func isPublic(_ tokens: ArraySlice<SwiftToken>) -> Bool {
        for token in tokens.prefix(24) where token.kind == .word {
            if token.text == "public" || token.text == "open" || token.text == "case" {
                return true
            }
            if declarers.contains(token.text) { return false }
        }
        return false
    }

    private static let declarers: Set<String> = [
        "func", "var", "let", "init", "struct", "class", "enum", "protocol", "actor", "typealias",
        "subscript", "extension", "deinit", "import",
    ]
}
