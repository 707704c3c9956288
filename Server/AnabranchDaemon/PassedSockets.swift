import Foundation

/// The listening sockets that a service manager, such as systemd, passes to this process.
///
/// The environment variable `LISTEN_FDS` is their number, and `LISTEN_PID` the process that they
/// are for. Their descriptors begin with 3. A process that was started by hand has none of these
/// variables.
///
/// Source: sd_listen_fds(3).
struct PassedSockets {
    static let firstDescriptor: Int32 = 3
    static let excludesListen =
        "The option --listen can't be used together with a socket of the service manager: set "
        + "ListenStream= in the socket unit."

    let environment: [String: String]
    let processID: Int32

    /// Returns the only passed socket, and removes the variables that describe it.
    ///
    /// - Returns: A descriptor; `nil` if no socket was passed to this process.
    ///
    /// - Throws: ``PassedSocketsError``.
    static func take() throws(PassedSocketsError) -> Int32? {
        let passed = PassedSockets(
            environment: ProcessInfo.processInfo.environment, processID: getpid())
        let socket = try passed.onlySocket()
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        return socket
    }

    /// The only passed socket; `nil` if no socket was passed to this process.
    ///
    /// A process inherits the variables of its parent. `LISTEN_PID` is then the number of the
    /// parent, and the sockets are not for this process.
    func onlySocket() throws(PassedSocketsError) -> Int32? {
        guard let process = environment["LISTEN_PID"] else { return nil }
        guard let process = Int32(process), process > 0 else {
            throw .malformed("LISTEN_PID", process)
        }
        guard process == processID, let text = environment["LISTEN_FDS"] else { return nil }
        guard let count = Int(text), count >= 0 else { throw .malformed("LISTEN_FDS", text) }
        guard count == 1 else { throw .wrongCount(count) }
        return Self.firstDescriptor
    }
}

/// The reason why the sockets of the service manager can't be used.
struct PassedSocketsError: Error, Hashable, CustomStringConvertible {
    enum Code {
        /// A variable is not a number. The program that started the daemon has to set it correctly.
        case malformed
        /// There is not exactly one socket. The socket unit has to be corrected.
        case wrongCount
    }

    let code: Code
    let message: String
    var description: String { message }

    static func malformed(_ variable: String, _ value: String) -> PassedSocketsError {
        PassedSocketsError(
            code: .malformed,
            message: "Can't take a socket of the service manager because \(variable) is "
                + "\"\(value)\", which is not a number.")
    }

    static func wrongCount(_ count: Int) -> PassedSocketsError {
        PassedSocketsError(
            code: .wrongCount,
            message: "Can't listen on \(count) sockets of the service manager: the socket unit "
                + "needs exactly one ListenStream=.")
    }
}
