/// A command line that can't be understood, with what to type instead.
struct UsageError: Error, CustomStringConvertible {
    let message: String
    /// Whose help explains it; `nil` for the program's.
    var command: String?

    init(_ message: String, command: String? = nil) {
        self.message = message
        self.command = command
    }

    var description: String {
        let help = command.map { "anabranch \($0) --help" } ?? "anabranch --help"
        return "\(message)\nType '\(help)' for what there is."
    }
}
