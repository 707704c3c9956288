/// Finds the word that a misspelt word probably stands for.
package enum NearestWord {
    /// The candidate with the fewest typing errors; `nil` if it has too many for its length.
    package static func suggestion(for word: String, among candidates: [String]) -> String? {
        guard isShort(word) else { return nil }
        let wanted = Array(word.lowercased())
        let candidates = candidates.prefix(greatestCompared).filter(isShort)
        let ranked = candidates.map { candidate in
            (candidate, distance(wanted, Array(candidate.lowercased())))
        }
        guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
        let isPrefix = wanted.count >= 2 && best.0.lowercased().hasPrefix(word.lowercased())
        return isPrefix || best.1 <= max(1, best.0.count / 3) ? best.0 : nil
    }

    /// A sentence for the end of a message about an unknown name, after a space: the name that is
    /// probably meant, or the names that there are. It is empty without names.
    package static func hint(for word: String, among names: [String]) -> String {
        if let meant = suggestion(for: word, among: names) { return " Did you mean \(meant)?" }
        let listed = names.prefix(greatestCompared).filter(isShort).prefix(greatestListed)
        guard !listed.isEmpty else { return "" }
        let rest = listed.count < names.count ? " and others" : ""
        return " There are: \(listed.joined(separator: ", "))\(rest)."
    }

    private static let greatestListed = 30
    /// The greatest number of names that are compared. Names may be those of a hostile model.
    private static let greatestCompared = 1000

    /// True for a word that takes little time to compare.
    private static func isShort(_ word: String) -> Bool { word.utf8.count <= 64 }

    /// The number of letters to insert, delete, replace or swap with their neighbour.
    ///
    /// Source: Damerau, "A technique for computer detection and correction of spelling errors",
    /// CACM 7(3), 1964; the form in which no part is edited twice.
    package static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var rows = [Array(0...right.count)]
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var best = min(
                    rows[row][column] + (isSame ? 0 : 1), rows[row][column + 1] + 1,
                    current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    best = min(best, rows[row - 1][column - 1] + 1)
                }
                current.append(best)
            }
            rows.append(current)
        }
        return rows[left.count][right.count]
    }
}
