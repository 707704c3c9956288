import AnabranchMacroExpansion

/// Finds where functions begin and end by matching braces.
///
/// One pass keeps the stack of open braces. A word that declares a function looks ahead for the
/// brace that opens its body and leaves a head there; when that brace closes, the function ends.
/// Declarations directly inside a protocol have no body and are passed over.
struct FunctionFinder {
    struct Span {
        let name: String
        let line: Int
        let lastLine: Int
    }

    private struct Head {
        let name: String
        let line: Int
    }

    private enum Scope {
        case body(Head)
        case requirements
        case other
    }

    private let tokens: [SwiftToken]
    private var heads: [Int: Head] = [:]
    private var protocolBraces: Set<Int> = []
    private var stack: [Scope] = []
    private var property = ""

    /// - Parameter tokens: The tokens of a file without comments.
    init(tokens: [SwiftToken]) { self.tokens = tokens }

    /// Returns the functions in the order in which they close, or `nil` if a brace is left over.
    mutating func spans() -> [Span]? {
        var found: [Span] = []
        for index in tokens.indices {
            let token = tokens[index]
            if token.isMark("{") {
                stack.append(scope(openedAt: index))
            } else if token.isMark("}") {
                guard let closed = stack.popLast() else { return nil }
                if case .body(let head) = closed {
                    found.append(Span(name: head.name, line: head.line, lastLine: token.line))
                }
            } else if token.kind == .word, !isMember(index) {
                recordDeclaration(at: index)
            }
        }
        return stack.isEmpty ? found : nil
    }

    private func scope(openedAt index: Int) -> Scope {
        if let head = heads[index] { return .body(head) }
        return protocolBraces.contains(index) ? .requirements : .other
    }

    private var isInProtocol: Bool {
        if case .requirements = stack.last { true } else { false }
    }

    /// Returns whether a dot comes before, as in `self.init(…)`.
    private func isMember(_ index: Int) -> Bool { index > 0 && tokens[index - 1].isMark(".") }

    private mutating func recordDeclaration(at index: Int) {
        let word = tokens[index].text
        if word == "protocol", let brace = nextBrace(from: index + 1) {
            protocolBraces.insert(brace)
            return
        }
        guard !isInProtocol else { return }
        switch word {
        case "func": recordFunction(at: index)
        case "init", "subscript": recordInitializer(at: index)
        case "deinit": add("deinit", at: index, brace: nextBrace(from: index + 1))
        case "var": recordVariable(at: index)
        case _ where Self.accessors.contains(word): recordAccessor(at: index)
        default: break
        }
    }

    private mutating func add(_ name: String, at index: Int, brace: Int?) {
        guard let brace else { return }
        heads[brace] = Head(name: name, line: tokens[index].line)
    }

    private static let accessors: Set<String> = [
        "get", "set", "willSet", "didSet", "_read", "_modify", "read", "modify",
        "unsafeAddress", "unsafeMutableAddress",
    ]
}

// MARK: - Looking ahead for the body

extension FunctionFinder {
    /// Returns the next `{` outside parentheses and square brackets, or `nil` if a `}` ends the
    /// scope first.
    private func nextBrace(from start: Int) -> Int? {
        var index = start
        while index < tokens.count {
            let token = tokens[index]
            if token.isMark("{") { return index }
            if token.isMark("}") { return nil }
            if token.isMark("(") || token.isMark("[") {
                guard let after = tokens.indexAfterGroup(at: index) else { return nil }
                index = after
            } else {
                index += 1
            }
        }
        return nil
    }

    private mutating func recordFunction(at index: Int) {
        guard let parameters = tokens[index...].firstIndex(where: { $0.isMark("(") }) else {
            return
        }
        let nameTokens = tokens[index + 1..<parameters].prefix { !$0.isMark("<") }
        let name = nameTokens.map(\.text).joined()
        add(name.isEmpty ? "<" : name, at: index, brace: nextBrace(from: parameters))
    }

    private mutating func recordInitializer(at index: Int) {
        guard index + 1 < tokens.count, tokens[index + 1].kind == .mark,
            ["(", "?", "!", "<"].contains(tokens[index + 1].text)
        else { return }
        property = tokens[index].text
        add(tokens[index].text, at: index, brace: nextBrace(from: index + 1))
    }

    /// Records a computed or observed property by the brace after the type or the value on the same
    /// line.
    private mutating func recordVariable(at index: Int) {
        if index > 0, Self.marksBindings(tokens[index - 1]) { return }
        guard index + 1 < tokens.count else { return }
        property = tokens[index + 1].text
        var place = index + 2
        while place < tokens.count {
            let token = tokens[place]
            if token.isMark("{") { return add(property, at: index, brace: place) }
            if token.isMark("=") || token.isMark("}") || token.isMark(")") { return }
            if token.line > tokens[place - 1].lastLine, !Self.goesOn(after: tokens[place - 1]) {
                return
            }
            if token.isMark("(") || token.isMark("[") {
                guard let after = tokens.indexAfterGroup(at: place) else { return }
                place = after
            } else {
                place += 1
            }
        }
    }

    /// Returns whether the brace belongs to a binding such as `if var x {`.
    private static func marksBindings(_ token: SwiftToken) -> Bool {
        if token.isMark(",") || token.isMark("(") { return true }
        return ["if", "guard", "while", "case", "for"].contains { token.isWord($0) }
    }

    private static func goesOn(after token: SwiftToken) -> Bool {
        [":", ".", "&", "<", ",", ">", "->"].contains { token.isMark($0) }
            || ["some", "any"].contains { token.isWord($0) }
    }

    /// Records an accessor such as `get {`, `set(value) {` or `get async throws(E) {`.
    private mutating func recordAccessor(at index: Int) {
        var place = index + 1
        while place < tokens.count {
            if tokens[place].isMark("{") {
                add("\(property).\(tokens[index].text)", at: index, brace: place)
                return
            }
            if tokens[place].isMark("("), let after = tokens.indexAfterGroup(at: place) {
                place = after
            } else if ["async", "throws"].contains(where: { tokens[place].isWord($0) }) {
                place += 1
            } else {
                return
            }
        }
    }
}
