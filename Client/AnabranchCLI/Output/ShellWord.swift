/// Words of a command line that a message advises to type.
enum ShellWord {
    /// The word as a shell reads it: in quotes if it has a character with a meaning for shells.
    static func quoted(_ word: String) -> String {
        guard !word.isEmpty, word.first != "=", word.unicodeScalars.allSatisfy(isPlain) else {
            return hasControls(word) ? withEscapes(word) : inQuotes(word)
        }
        return word
    }

    private static func inQuotes(_ word: String) -> String {
        let inner = word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }
        return "'\(inner.joined())'"
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.isASCII else { return scalar.properties.isAlphabetic }
        return switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", ",", ":", "/", "@", "%", "+", "=":
            true
        default: false
        }
    }

    private static func hasControls(_ word: String) -> Bool {
        word.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }
    }

    /// The form `$'…'`, which POSIX has since 2024, and bash and zsh had before:
    /// no control character reaches the terminal.
    private static func withEscapes(_ word: String) -> String {
        let inner = word.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\\"): "\\" + String(Unicode.Scalar(byte))
            case 0x20..<0x7F: String(Unicode.Scalar(byte))
            default: "\\" + octal(byte)
            }
        }
        return "$'\(inner.joined())'"
    }

    private static func octal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 8)
        return String(repeating: "0", count: 3 - digits.count) + digits
    }
}
