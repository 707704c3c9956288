/// How the program ends, by the conventions of `sysexits.h`.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    /// What was asked for is not there, or was refused for a reason without a status of its own.
    case failure = 1
    /// The command line can't be understood.
    case usage = 64
    /// The input, or the store's content, isn't what it has to be.
    case data = 65
    /// A file that was to be read isn't there.
    case noInput = 66
    /// The sync server can't be reached or doesn't answer.
    case unavailable = 69
    /// The program found itself wrong.
    case software = 70
    /// A file can't be made.
    case cannotCreate = 73
    /// Reading or writing failed.
    case inputOutput = 74
    /// It may work in a moment.
    case temporary = 75
    /// Nobody gave the right: a file's permissions, a token.
    case permission = 77
    /// Ended by Control-C.
    case interrupted = 130
}

extension ExitStatus {
    var meaning: String {
        switch self {
        case .success: "done"
        case .failure: "not found, or refused"
        case .usage: "the command line can't be understood"
        case .data: "the input or the store isn't what it has to be"
        case .noInput: "a file isn't there"
        case .unavailable: "the sync server can't be reached"
        case .software: "a fault of the program"
        case .cannotCreate: "a file can't be made"
        case .inputOutput: "reading or writing failed"
        case .temporary: "busy; try again"
        case .permission: "no right to do it"
        case .interrupted: "interrupted"
        }
    }
}
