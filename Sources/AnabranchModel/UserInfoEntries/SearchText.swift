/// The text of the setting that makes an attribute searchable.
enum SearchText {
    /// The setting that a text stands for.
    struct Meaning {
        /// `nil` if the attribute is not searchable.
        let setting: TextSearch?
    }

    /// - Returns: `nil` for a text that is neither a flag nor a list of numbers.
    static func search(of text: String) -> Meaning? {
        if let flag = FlagText.flag(of: text) { return Meaning(setting: flag ? TextSearch() : nil) }
        let words = text.split { $0 == " " || $0 == "," }
        let lengths = words.compactMap { Int($0) }
        guard !words.isEmpty, lengths.count == words.count else { return nil }
        return Meaning(setting: TextSearch(prefixLengths: lengths))
    }

    static func text(of search: TextSearch) -> String {
        search.prefixLengths.isEmpty
            ? "YES" : search.prefixLengths.map(String.init).joined(separator: " ")
    }
}
