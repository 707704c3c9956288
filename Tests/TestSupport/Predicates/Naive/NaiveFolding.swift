import AnabranchModel
import AnabranchReplication
import Foundation

/// The foldings of a comparison, and the operators on texts.
struct NaiveFolding {
    var options: String.CompareOptions = []

    init(ignoresCase: Bool, ignoresDiacritics: Bool) {
        if ignoresCase { options.insert(.caseInsensitive) }
        if ignoresDiacritics { options.insert(.diacriticInsensitive) }
    }

    init(_ options: ComparisonOptions) throws {
        if options.contains(.localeSensitive) || options.contains(.numeric) { throw NaiveDoubt() }
        let isFolding = !options.contains(.normalized)
        self.init(
            ignoresCase: isFolding && options.contains(.caseInsensitive),
            ignoresDiacritics: isFolding && options.contains(.diacriticInsensitive))
    }

    static var none: NaiveFolding {
        NaiveFolding(ignoresCase: false, ignoresDiacritics: false)
    }

    func fold(_ text: String) -> String {
        if options.isEmpty { return text }
        if text.utf8.allSatisfy({ $0 < 128 }) {
            return options.contains(.caseInsensitive) ? text.lowercased() : text
        }
        return text.folding(options: options, locale: nil)
    }

    func bytes(_ text: String) -> [UInt8] { Array(fold(text).utf8) }

    func isPart(_ part: String, of whole: String) -> Bool {
        let (part, whole) = (bytes(part), bytes(whole))
        guard part.count <= whole.count else { return false }
        for start in 0...(whole.count - part.count)
        where whole[start..<(start + part.count)].elementsEqual(part) {
            return true
        }
        return false
    }

    func begins(_ text: String, with part: String) -> Bool {
        bytes(text).starts(with: bytes(part))
    }

    func ends(_ text: String, with part: String) -> Bool {
        bytes(text).reversed().starts(with: bytes(part).reversed())
    }

    func matches(_ text: String, expression: String) throws -> Bool {
        let diacritics = NaiveFolding(
            ignoresCase: false, ignoresDiacritics: options.contains(.diacriticInsensitive))
        let text = diacritics.fold(text)
        let isCaseless = options.contains(.caseInsensitive)
        let pattern = try NSRegularExpression(
            pattern: "\\A(?:" + diacritics.fold(expression) + ")\\z",
            options: isCaseless ? [.caseInsensitive] : [])
        let whole = NSRange(location: 0, length: text.utf16.count)
        return pattern.firstMatch(in: text, options: [], range: whole) != nil
    }
}

/// One element of a pattern of LIKE.
enum NaiveWildcard {
    case run
    case one
    case literal(Unicode.Scalar)

    static func all(of pattern: String) -> [NaiveWildcard] {
        let scalars = Array(pattern.unicodeScalars)
        var found: [NaiveWildcard] = []
        var index = 0
        while index < scalars.count {
            let isEscape =
                scalars[index] == "\\" && index + 1 < scalars.count
                && ["*", "?", "\\"].contains(scalars[index + 1])
            if isEscape {
                found.append(.literal(scalars[index + 1]))
                index += 2
                continue
            }
            switch scalars[index] {
            case "*": found.append(.run)
            case "?": found.append(.one)
            default: found.append(.literal(scalars[index]))
            }
            index += 1
        }
        return found
    }
}

extension NaiveFolding {
    func isLike(_ text: String, pattern: String) -> Bool {
        let scalars = Array(fold(text).unicodeScalars)
        // The positions in the text that the pattern so far can reach.
        var reached = [Bool](repeating: false, count: scalars.count + 1)
        reached[0] = true
        for wildcard in NaiveWildcard.all(of: fold(pattern)) {
            var next = [Bool](repeating: false, count: scalars.count + 1)
            for position in reached.indices where reached[position] {
                switch wildcard {
                case .run: for later in position...scalars.count { next[later] = true }
                case .one: if position < scalars.count { next[position + 1] = true }
                case .literal(let scalar):
                    if position < scalars.count && scalars[position] == scalar {
                        next[position + 1] = true
                    }
                }
            }
            reached = next
        }
        return reached[scalars.count]
    }
}
