import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

struct ContextSizeTests {
    /// The large number of replicas: 100,000 if `ANABRANCH_MEASURE` is set.
    private static var many: UInt64 {
        if ProcessInfo.processInfo.environment["ANABRANCH_MEASURE"] != nil { return 100_000 }
        return TestLength.isQuick ? 500 : 5000
    }

    /// Pushes change sets of this many replicas, each the first of its replica.
    private func push(_ count: UInt64, to scenario: EngineScenario) throws {
        let epoch = try scenario.zone.head().epoch
        let payload = ChangePayload(blocks: [])
        for first in stride(from: 1, through: count, by: 1000) {
            let sets = (first..<min(first + 1000, count + 1)).map { number in
                let replica = ReplicaID(high: 7, low: number)
                return ChangeSet(
                    saving: payload.encoded(author: replica),
                    dot: Dot(replica: replica, sequence: 1),
                    timestamp: HybridTimestamp(
                        wallMilliseconds: scenario.serverClock.milliseconds, counter: 0),
                    author: "", previousOrigin: .zero,
                    context: CausalContext(prefix: nil, beyond: []))
            }
            let response = try scenario.zone.push(
                PushRequest(epoch: epoch, changeSets: sets.map { $0.encoded() }))
            #expect(response.refusal == nil)
        }
    }

    private func contextBytes(replicas: UInt64) async throws -> Int {
        let scenario = try EngineScenario()
        try push(replicas, to: scenario)
        let store = try scenario.open("a.db")
        try await scenario.engine(store).synchronize()
        #expect(try store.read { try $0.versionVector() }.heads.count == Int(replicas))
        try store.insert("Ada", scenario.names)
        let context = try #require(try store.pending(byteLimit: .max).first).changeSet.context
        #expect(context.beyond.isEmpty)
        var writer = ByteWriter()
        writer.append(context: context)
        return writer.bytes.count
    }

    @Test func `a context does not grow with the replicas of a zone`() async throws {
        let few = try await contextBytes(replicas: 2)
        let many = try await contextBytes(replicas: Self.many)
        // The position takes one to three bytes.
        #expect(few <= 20 && many <= few + 2)
        print("a context has \(few) bytes with 2 replicas, \(many) with \(Self.many)")
    }
}
