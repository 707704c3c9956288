/// An error that ends a command, with a message for the user.
struct CommandFailure: Error, CustomStringConvertible {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    var description: String { message }
}

/// The program that reads the output has closed it, so nothing more can be written.
struct OutputClosed: Error {}
