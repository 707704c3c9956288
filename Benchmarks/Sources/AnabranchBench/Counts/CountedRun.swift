import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The process in which one operation is counted. ``CountProcess`` starts it, and both talk in
/// lines.
///
/// Its arguments are a word, the operation, the numbers of turns that are done and prepared, and
/// the path of a store; for exchanges also the server, the zone and the token.
struct CountedRun {
    /// The word for a run that is watched by another program.
    static let word = "--run"
    /// The word for a run that counts its statements and prints them.
    static let wordForStatements = "--run-statements"
    /// The line that asks for a remote change, and its answer.
    static let request = "change\n"
    static let answer = "done\n"

    private let countsStatements: Bool
    private let operation: CountedOperation
    private let turns: Int
    private let preparedTurns: Int
    private let rest: [String]

    /// True if the program is started as a process in which an operation is counted.
    static func isMeant(by arguments: [String]) -> Bool {
        arguments.first == word || arguments.first == wordForStatements
    }

    init(_ arguments: [String]) throws {
        guard arguments.count >= 5, let operation = CountedOperation(rawValue: arguments[1]),
            let turns = Int(arguments[2]), let preparedTurns = Int(arguments[3])
        else { throw BadUsage("A counted run takes an operation, two numbers and a path.") }
        countsStatements = arguments[0] == Self.wordForStatements
        self.operation = operation
        self.turns = turns
        self.preparedTurns = preparedTurns
        rest = Array(arguments.dropFirst(4))
    }

    func run() async throws {
        if countsStatements { try StatementCounter.start() }
        let side = try side()
        try await side.prepare(operation, turns: preparedTurns)
        try await side.run(operation, turns: turns)
        guard countsStatements else { return }
        let counts = StatementCounter.counts
        print(
            counts.statements, counts.readTransactions, counts.writeTransactions,
            counts.writtenPages)
    }

    private func side() throws -> any CountedSide {
        switch operation.side {
        case .store: return try CountedStore(rest[0])
        case .raw: return try CountedRaw(rest[0])
        case .server:
            guard rest.count == 4, let server = URL(string: rest[1]) else {
                throw BadUsage("An exchange takes a server, a zone and a token.")
            }
            return try CountedReplica(rest[0], server: server, zone: rest[2], token: rest[3])
        }
    }

    /// Lets the counting program save and push a change of another replica, by two system calls.
    static func requestRemoteChange() throws {
        let sent = request.utf8.withContiguousStorageIfAvailable {
            write(STDOUT_FILENO, $0.baseAddress, $0.count)
        }
        var line = [UInt8](repeating: 0, count: answer.utf8.count)
        let received = read(STDIN_FILENO, &line, line.count)
        guard sent == request.utf8.count, received == line.count else {
            throw Unexpected("no remote change was made")
        }
    }
}
