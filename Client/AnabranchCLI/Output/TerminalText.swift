/// Text as a terminal may get it. A name, a value or a message can come from another program, and
/// must not control the terminal.
enum TerminalText {
    /// The control sequences that the program itself writes among its text.
    enum Style: String, CaseIterable {
        case bold = "\u{1B}[1m"
        case dim = "\u{1B}[2m"
        case plain = "\u{1B}[0m"
    }

    /// Replaces control characters by visible symbols (U+2400 and after), so that a value is in one
    /// line and one cell of a table.
    static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var printable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { printable.append(symbol(of: scalar)) }
        return String(printable)
    }

    /// Replaces control characters except tabs, line feeds and styles.
    static func shown(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { isControl($0) && $0 != "\n" }) else {
            return text
        }
        var shown = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            let style = Style.allCases.first { rest.starts(with: $0.rawValue.unicodeScalars) }
            if let style {
                shown.append(contentsOf: style.rawValue.unicodeScalars)
                rest = rest.dropFirst(style.rawValue.unicodeScalars.count)
            } else {
                shown.append(scalar == "\n" || scalar == "\t" ? scalar : symbol(of: scalar))
                rest = rest.dropFirst()
            }
        }
        return String(shown)
    }

    private static func symbol(of scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard isControl(scalar) else { return scalar }
        let picture = scalar.value < 0x20 ? Unicode.Scalar(0x2400 + scalar.value) : nil
        return picture ?? "\u{FFFD}"
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }
}
