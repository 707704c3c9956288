/// A pattern of LIKE.
///
/// `*` matches any text, `?` exactly one Unicode scalar. A backslash makes the next `*`, `?` or
/// backslash literal.
///
/// Matching takes at most pattern × text steps and no recursion. It backtracks only to the last
/// `*`, which suffices: an earlier one cannot match more.
package struct LikePattern {
    private enum Part: Equatable {
        case literal(Unicode.Scalar)
        case one
        case run
    }

    private let parts: [Part]
    private let options: ComparisonOptions

    package init(_ pattern: String, options: ComparisonOptions = []) {
        self.options = options
        var parts: [Part] = []
        var scalars = TextFolding.fold(pattern, options: options).unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            switch scalar {
            case "*":
                if parts.last != .run { parts.append(.run) }
            case "?": parts.append(.one)
            case "\\":
                guard let next = scalars.next() else {
                    parts.append(.literal("\\"))
                    break
                }
                if !["*", "?", "\\"].contains(next) { parts.append(.literal("\\")) }
                parts.append(.literal(next))
            default: parts.append(.literal(scalar))
            }
        }
        self.parts = parts
    }

    package func matches(_ text: String) -> Bool {
        let scalars = Array(TextFolding.fold(text, options: options).unicodeScalars)
        var place = 0
        var part = 0
        var lastRun: Int?
        var runEnd = 0
        while place < scalars.count {
            if part < parts.count, parts[part] == .run {
                lastRun = part
                runEnd = place
                part += 1
            } else if part < parts.count,
                parts[part] == .one || parts[part] == .literal(scalars[place])
            {
                part += 1
                place += 1
            } else if let run = lastRun {
                runEnd += 1
                place = runEnd
                part = run + 1
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy { $0 == .run }
    }
}
