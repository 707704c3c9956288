extension String {
    /// The text with its lines joined by semicolons, without spaces and punctuation at its end.
    var oneLine: String {
        let line = split(whereSeparator: \.isNewline)
            .map { $0.drop { $0.isWhitespace } }.joined(separator: "; ")
        return String(
            line.reversed().drop { $0.isWhitespace || $0 == "." || $0 == "?" }.reversed())
    }
}
