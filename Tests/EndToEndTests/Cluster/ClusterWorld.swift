import Foundation
import TestSupport

/// A cluster, three daemons behind a load balancer, and their clients, which one seed disturbs.
final class ClusterWorld {
    let group: ClientGroup
    let probe: ServiceProbe
    let witnesses: Witnesses
    private let cluster: PatroniCluster
    private let balancer: LoadBalancer
    private let daemonIdentifiers: [Int32]
    private var generator: SeededGenerator
    private var waiting: [ClusterFault] = []
    private var counts: [ClusterFault: Int] = [:]
    /// The timeline of the last leader.
    private var timeline = 0

    static let clientCount = 5
    static let daemonCount = 3

    init(seed: UInt64, mode: ReplicationMode) throws {
        var generator = SeededGenerator(seed: seed)
        let cluster = try PatroniCluster(mode)
        let guarded = cluster.guarded
        let daemons = try (0..<Self.daemonCount).map { number in
            let daemon = try DaemonUnderTest(
                in: guarded.folder, store: cluster.url, number: number)
            try guarded.note(daemon.identifier, as: "daemon-\(number)")
            return daemon
        }
        let balancer = try LoadBalancer(before: daemons, in: guarded)
        let clients = try (0..<Self.clientCount).map { number in
            let client = try PartitionedClient(
                number, of: daemons[0], through: balancer.port, in: guarded.folder,
                seed: generator.next())
            try guarded.note(client.identifier, as: "client-\(number)")
            return client
        }
        probe = try ServiceProbe(
            ClientUnderTest.ZonePlace(
                server: balancer.url, zone: "probe",
                token: DaemonUnderTest.makeToken(for: "probe", in: cluster.url)),
            in: guarded, seed: generator.next())
        witnesses = Witnesses(at: balancer.url, store: cluster.url, in: guarded)
        group = ClientGroup(clients: clients, daemons: daemons)
        daemonIdentifiers = daemons.map(\.identifier)
        self.generator = generator
        self.balancer = balancer
        self.cluster = cluster
    }

    /// True if all daemons still run in their first processes.
    var hasFirstDaemons: Bool {
        balancer.isRunning && group.daemons.map(\.identifier) == daemonIdentifiers
    }

    /// The number of faults of each kind.
    var faults: String {
        ClusterFault.allCases.map { "\(counts[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", ")
    }

    /// Makes one fault, ends it, and waits until the cluster is healthy.
    func disturb() throws {
        if waiting.isEmpty { waiting = ClusterFault.allCases.shuffled(using: &generator) }
        let fault = waiting.removeLast()
        counts[fault, default: 0] += 1
        let witness = try witnesses.add(seed: generator.next())
        usleep(UInt32.random(in: 3_000_000...6_000_000, using: &generator))
        let leader = try cluster.leader()
        let start = Date()
        try fault.begin(at: leader, of: cluster, using: &generator)
        let seconds = fault.seconds(using: &generator)
        let witnessSeconds = Bool.random(using: &generator) ? 0.1 : seconds
        usleep(UInt32(witnessSeconds * 1e6))
        witness.kill()
        usleep(UInt32((seconds - witnessSeconds) * 1e6))
        try fault.end(at: leader)
        try cluster.waitUntilHealthy(within: 240)
        try checkTimeline(after: fault)
        sleep(2)
        report(
            "\(fault.rawValue) (\(leader.name)), healthy after "
                + "\(Int(Date().timeIntervalSince(start))) s, longest gap "
                + "\(try probe.longestGap(since: start)) s")
    }

    /// - Throws: `FailedProcess` if a former leader took over again without what its successor had
    ///   acknowledged. Then a loss is the cluster's own.
    private func checkTimeline(after fault: ClusterFault) throws {
        let present = cluster.timeline
        guard present >= timeline else {
            throw FailedProcess(
                description: "After a fault (\(fault.rawValue)) the leader is on timeline "
                    + "\(present), but there was a leader on timeline \(timeline).")
        }
        timeline = present
    }

    /// Prints a line at once, also if the output goes to a file.
    func report(_ line: String) {
        print("cluster: \(line)")
        fflush(nil)
    }

    /// Stops all saves of the clients.
    func stopSaving() throws {
        probe.kill()
        try Data().write(to: URL(filePath: cluster.guarded.folder.file("stop")))
    }

    func end() {
        for client in group.clients {
            client.kill()
            client.link.close()
        }
        for daemon in group.daemons { daemon.kill() }
        cluster.end()
    }

    /// Copies the logs of all processes.
    func keepLogs(in path: String) throws {
        let files = FileManager.default
        try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        let folder = cluster.guarded.folder
        for name in try files.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".log")
        {
            let target = "\(path)/\(name)"
            try? files.removeItem(atPath: target)
            try files.copyItem(atPath: folder.file(name), toPath: target)
        }
    }
}
