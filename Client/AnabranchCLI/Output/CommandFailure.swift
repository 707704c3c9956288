/// Why a command ends, in words for the person at the keyboard.
struct CommandFailure: Error, CustomStringConvertible {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    var description: String { message }
}

/// Whoever read the output has gone: nothing is left to say.
struct OutputClosed: Error {}
