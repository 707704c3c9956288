/// The texts of flags: YES or NO, true or false, 1 or 0, in any case.
enum FlagText {
    /// Reads a flag; `nil` if the text is none.
    static func flag(of text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "1": true
        case "no", "false", "0": false
        default: nil
        }
    }
}
