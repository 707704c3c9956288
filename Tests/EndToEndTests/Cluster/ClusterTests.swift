import Foundation
import TestSupport
import Testing

/// A test of three daemons on a replicated database while its leaders fail. `Scripts/cluster`
/// runs it.
///
/// `ANABRANCH_CLUSTER_SECONDS` is its duration, `ANABRANCH_CLUSTER_MODE` is `synchronous` or
/// `asynchronous`, and `ANABRANCH_CLUSTER_LOGS` names a folder that gets the logs.
@Suite(.waiting) struct `Real processes on a replicated database` {
    static let environment = ProcessInfo.processInfo.environment
    static let seconds = environment["ANABRANCH_CLUSTER_SECONDS"].flatMap(Double.init)
    static let mode =
        environment["ANABRANCH_CLUSTER_MODE"].flatMap(ReplicationMode.init) ?? .synchronous
    static let seed =
        environment["ANABRANCH_SEED"].flatMap { UInt64($0) }
        ?? UInt64(Date().timeIntervalSince1970 * 1000)

    @Test(.enabled(if: seconds != nil, "only Scripts/cluster runs it"))
    func `leaders of the database fail, and nothing that counts is lost`() async throws {
        let world = try ClusterWorld(seed: Self.seed, mode: Self.mode)
        world.report("seed \(Self.seed), \(Self.mode.rawValue)")
        defer { world.end() }
        do {
            try await run(world)
        } catch {
            keepLogs(of: world)
            throw error
        }
        keepLogs(of: world)
    }

    private func run(_ world: ClusterWorld) async throws {
        let start = Date()
        while Date().timeIntervalSince(start) < Self.seconds ?? 0 {
            try world.disturb()
            #expect(world.hasFirstDaemons)
        }
        let gap = try world.probe.longestGap(since: start)
        #expect(try world.probe.savedCount() > 0)
        try world.stopSaving()
        let witnessed = try await world.witnesses.result()
        #expect(witnessed.acknowledged > 0)
        if Self.mode == .synchronous { #expect(witnessed.lost == 0) }
        try world.group.expectCaughtUp(within: 120)
        #expect(world.hasFirstDaemons)
        let counts = try world.group.expectNothingLost()
        world.report(
            """
            seed \(Self.seed), \(Self.mode.rawValue), \
            \(Int(Date().timeIntervalSince(start))) s; \(world.faults)
            """)
        world.report(
            """
            \(counts); longest gap of service \(gap) s; of \(witnessed.acknowledged) \
            saves acknowledged to clients that never returned, the database lost \(witnessed.lost)
            """)
    }

    private func keepLogs(of world: ClusterWorld) {
        guard let path = Self.environment["ANABRANCH_CLUSTER_LOGS"] else { return }
        do { try world.keepLogs(in: path) } catch { print("cluster: no logs: \(error)") }
    }
}
