import Anabranch
import AnabranchSync
import Foundation

/// The stores, the server and the copy of the program with which operations are counted.
final class CountStage {
    private let workbench: Workbench
    private let daemon: BenchDaemon
    private let program = CommandLine.arguments[0]
    /// A copy without debug information: some versions of valgrind can't read that of Swift.
    private let strippedProgram: String
    /// The number of runs, which gives each run files and a zone of its own.
    private var runs = 0

    init(_ workbench: Workbench) throws {
        self.workbench = workbench
        strippedProgram = workbench.path("program")
        _ = try ProgramRun("/usr/bin/env", ["objcopy", "--strip-debug", program, strippedProgram])
        daemon = try workbench.startDaemon()
    }

    func stop() { daemon.stop() }

    func counts(of operation: CountedOperation) async throws -> OperationCounts {
        let profiles = try await difference(operation, operation.turns, profile)
        let calls = try await difference(operation, operation.fastTurns, systemCalls)
        let statements = try await difference(operation, operation.fastTurns, statements)
        return OperationCounts(
            instructions: profiles[0], statements: statements[0],
            transactions: statements[1] + statements[2], writeTransactions: statements[2],
            writtenPages: statements[3], systemCalls: calls[0] - operation.ownSystemCalls,
            allocations: profiles[1])
    }

    /// The difference of the counts of two runs, for one turn.
    private func difference(
        _ operation: CountedOperation, _ turns: (few: Int, many: Int),
        _ count: (CountedOperation, _ turns: Int, _ preparedTurns: Int) async throws -> [Int]
    ) async throws -> [Double] {
        let few = try await count(operation, turns.few, turns.many)
        let many = try await count(operation, turns.many, turns.many)
        return zip(few, many).map { Double($1 - $0) / Double(turns.many - turns.few) }
    }

    /// - Returns: The instructions and the allocations.
    private func profile(
        _ operation: CountedOperation, turns: Int, preparedTurns: Int
    ) async throws -> [Int] {
        let file = workbench.path("callgrind")
        let command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=\(file)"]
        _ = try await run(
            command + [strippedProgram, CountedRun.word], operation, turns, preparedTurns)
        let profile = try CallgrindProfile(URL(fileURLWithPath: file))
        return [profile.instructions, profile.allocations]
    }

    /// - Returns: The system calls.
    private func systemCalls(
        _ operation: CountedOperation, turns: Int, preparedTurns: Int
    ) async throws -> [Int] {
        let file = workbench.path("strace")
        let command = ["strace", "-f", "-c", "-U", "calls,name", "-o", file]
        _ = try await run(command + [program, CountedRun.word], operation, turns, preparedTurns)
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        guard let total = lines.last(where: { $0.hasSuffix("total") }),
            let count = total.split(separator: " ").first.flatMap({ Int($0) })
        else { throw Unexpected("strace wrote no total") }
        return [count]
    }

    /// - Returns: The statements, the transactions that read and that write, and the pages.
    private func statements(
        _ operation: CountedOperation, turns: Int, preparedTurns: Int
    ) async throws -> [Int] {
        let lines = try await run(
            [program, CountedRun.wordForStatements], operation, turns, preparedTurns)
        let numbers = lines.last?.split(separator: " ").compactMap { Int($0) } ?? []
        guard numbers.count == 4 else { throw Unexpected("no statements were counted") }
        return numbers
    }

    /// Runs a process with a new store of its own. A save in a copy would run other statements,
    /// because a copied store becomes another replica with a history of two.
    private func run(
        _ command: [String], _ operation: CountedOperation, _ turns: Int, _ preparedTurns: Int
    ) async throws -> [String] {
        runs += 1
        let store = workbench.path("store\(runs)")
        defer {
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: store + suffix)
            }
        }
        let process = CountProcess(
            command: command, errors: URL(fileURLWithPath: workbench.path("errors")))
        let arguments = [operation.rawValue, String(turns), String(preparedTurns), store]
        guard operation.side == .server else {
            if operation.side == .raw {
                try CountedRaw.create(store)
            } else {
                try CountedStore.create(store)
            }
            return try await process.run(arguments) {
                throw Unexpected("a local operation asks for a remote change")
            }
        }
        let place = try emptyPlace()
        let sender = try await sender(to: place, receiver: store)
        var turn = 0
        return try await process.run(
            arguments + [daemon.address.absoluteString, place.zone, place.token]
        ) {
            _ = try sender.change(turn..<turn + 1)
            _ = try await sender.sync()
            turn += 1
        }
    }

    private func emptyPlace() throws -> ObservedStore.Place {
        let zone = "count\(runs)"
        return ObservedStore.Place(
            daemon: daemon, zone: zone, token: try daemon.token(forZone: zone))
    }

    /// Creates a sender with objects, and a receiver that has pulled them.
    private func sender(
        to place: ObservedStore.Place, receiver path: String
    ) async throws -> ObservedStore {
        let sender = try ObservedStore(workbench.path("sender\(runs)"), at: place)
        try sender.fill()
        _ = try await sender.sync()
        let receiver = try PersonStore.open(path)
        let engine = try SyncBenchmark.engine(receiver, daemon, place.zone, place.token)
        guard try await engine.synchronize().isCaughtUp else {
            throw Unexpected("the receiver is not caught up")
        }
        receiver.coordinator.close()
        return sender
    }
}
