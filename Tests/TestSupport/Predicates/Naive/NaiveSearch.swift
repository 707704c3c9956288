import AnabranchModel
import AnabranchReplication
import Foundation

/// A query for words in the texts of an object: terms, of which all must be found, or terms with
/// one of the signs `OR` and `NOT` between each two.
struct NaiveSearch {
    /// Terms and signs.
    let parts: [String]

    init(_ query: String) {
        // A phrase in quotation marks is one part.
        parts = query.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .flatMap { index, piece in
                index.isMultiple(of: 2)
                    ? piece.split(separator: " ").map(String.init) : [String(piece)]
            }
    }

    func finds(_ values: [PropertyValue]) -> Bool {
        let texts = values.compactMap { value in
            if case .string(let text) = value { Self.words(text) } else { nil }
        }
        var result: Bool?
        var sign = "AND"
        for part in parts {
            guard !["AND", "OR", "NOT"].contains(part) else {
                sign = part
                continue
            }
            let isFound = texts.contains { Self.finds(part, in: $0) }
            guard let former = result else {
                result = isFound
                continue
            }
            switch sign {
            case "OR": result = former || isFound
            case "NOT": result = former && !isFound
            default: result = former && isFound
            }
            sign = "AND"
        }
        return result ?? false
    }

    /// Returns true if the words of a term follow each other in a text.
    private static func finds(_ term: String, in text: [String]) -> Bool {
        let words = words(term)
        guard let last = words.last, words.count <= text.count else { return false }
        let starts = term.hasPrefix("^") ? 0...0 : 0...(text.count - words.count)
        return starts.contains { start in
            let part = text[start..<(start + words.count)]
            let end = part[part.endIndex - 1]
            return part.dropLast().elementsEqual(words.dropLast())
                && (term.hasSuffix("*") ? end.hasPrefix(last) : end == last)
        }
    }

    /// Splits a text into words without case and diacritical marks.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter,
                .otherLetter, .decimalNumber, .letterNumber, .otherNumber, .privateUse:
                let marked = String(scalar).lowercased().decomposedStringWithCanonicalMapping
                let letters = marked.unicodeScalars.filter {
                    $0.properties.generalCategory != .nonspacingMark
                }
                word += String(String.UnicodeScalarView(letters))
            case .nonspacingMark where !word.isEmpty: break
            default:
                words.append(word)
                word = ""
            }
        }
        return (words + [word]).filter { !$0.isEmpty }
    }
}

extension NaiveScope {
    /// Returns true if the words are found in a text, or in the texts of an object.
    func finds(_ left: NaiveCell, _ query: NaiveCell) throws -> Bool {
        guard case .text(let query) = query.value else { throw NaiveDoubt() }
        switch left.value {
        case .missing: return false
        case .text(let text): return NaiveSearch(query).finds([.string(text)])
        case .object(let reference):
            guard let row = graph.rows[reference.record] else { throw NaiveDoubt() }
            let names = row.entity.attributes.filter { $0.search != nil }.map(\.name)
            return NaiveSearch(query).finds(names.map { row.values[$0] ?? .null })
        default: throw NaiveDoubt()
        }
    }
}
