/// The exit status of the program, by the conventions of `sysexits.h`.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    /// The object was not found, or was refused for a reason without a status of its own.
    case failure = 1
    /// The command line cannot be understood.
    case usage = 64
    /// The input or the store's content is not valid.
    case data = 65
    /// An input file is missing, is a folder, or cannot be opened.
    case noInput = 66
    /// The sync server cannot be reached or does not answer.
    case unavailable = 69
    /// The program has an internal error.
    case software = 70
    /// A file cannot be created.
    case cannotCreate = 73
    /// Reading or writing failed.
    case inputOutput = 74
    /// A temporary failure; a retry may succeed.
    case temporary = 75
    /// Access is denied by a file's permissions, by the server because of the token, or because a
    /// key is missing.
    case permission = 77
    /// The command was cancelled. A shell reports the same status after Control-C.
    case interrupted = 130
}

extension ExitStatus {
    var meaning: String {
        switch self {
        case .success: "done"
        case .failure: "not found, or refused"
        case .usage: "the command line is wrong"
        case .data: "the input or the store is not valid"
        case .noInput: "an input file is missing or can't be opened"
        case .unavailable: "the sync server can't be reached"
        case .software: "an internal error of the program"
        case .cannotCreate: "a file can't be created"
        case .inputOutput: "reading or writing failed"
        case .temporary: "busy; try again"
        case .permission: "permission denied"
        case .interrupted: "interrupted"
        }
    }
}
