/// The number of terminal columns that a text takes.
enum CharacterWidth {
    static func width(of text: some StringProtocol) -> Int {
        // This fast path covers plain ASCII, by far the most common text.
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
        return text.reduce(0) { $0 + width(of: $1) }
    }

    /// Two columns for East Asian wide characters and emoji, none for combining marks.
    static func width(of character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        if character.unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
        let properties = first.properties
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if properties.isEmojiPresentation || isRegionalIndicator(first) { return 2 }
        return isWide(first.value) ? 2 : 1
    }

    private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
        (0x1F1E6...0x1F1FF).contains(scalar.value)
    }

    /// True for a code point that takes two columns in a terminal.
    ///
    /// Source: Unicode Standard Annex 11, the wide and full-width ranges.
    private static func isWide(_ value: UInt32) -> Bool {
        guard value >= 0x1100 else { return false }
        return wideRanges.contains { $0.contains(value) }
    }

    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
        0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B16F,
        0x1F200...0x1F2FF, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
    ]

    /// The longest prefix that fits, with an ellipsis if the text was cut.
    static func clipped(_ text: String, to limit: Int) -> String {
        guard width(of: text) > limit else { return text }
        guard limit > 0 else { return "" }
        var clipped = ""
        var used = 1
        for character in text {
            let width = width(of: character)
            if used + width > limit { break }
            clipped.append(character)
            used += width
        }
        return clipped + "…"
    }
}
