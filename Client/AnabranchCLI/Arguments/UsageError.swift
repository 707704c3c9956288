/// An error in the command line; the message says what to type instead.
struct UsageError: Error, CustomStringConvertible {
    let message: String
    /// The command of the help that the message names; `nil` for the program's help.
    var command: String?

    init(_ message: String, command: String? = nil) {
        self.message = message
        self.command = command
    }

    var description: String {
        let help = command.map { "anabranch \($0) --help" } ?? "anabranch --help"
        return "\(message)\nType '\(help)' for help."
    }
}
