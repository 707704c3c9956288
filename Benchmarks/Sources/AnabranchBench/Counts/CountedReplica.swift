import Anabranch
import AnabranchSync
import Foundation

/// The exchanges of a replica with a server, which is another process and is not counted.
final class CountedReplica: CountedSide {
    private let engine: SyncEngine

    init(_ path: String, server: URL, zone: String, token: String) throws {
        engine = try SyncBenchmark.engine(try PersonStore.open(path), server, zone, token)
    }

    func prepare(_ operation: CountedOperation, turns: Int) async throws {
        try await exchange(pulled: 0)
    }

    func run(_ operation: CountedOperation, turns: Int) async throws {
        for _ in 0..<turns {
            if operation == .remoteChange { try CountedRun.requestRemoteChange() }
            try await exchange(pulled: operation == .remoteChange ? 1 : 0)
        }
    }

    private func exchange(pulled count: Int) async throws {
        let outcome = try await engine.synchronize()
        guard outcome.isCaughtUp, outcome.pulledChangeSets == count else {
            throw Unexpected("\(outcome.pulledChangeSets) change sets came instead of \(count)")
        }
    }
}
