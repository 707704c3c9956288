import Foundation
import TestSupport

/// Three PostgreSQL servers under Patroni, with etcd, on the loopback address.
final class PatroniCluster {
    /// The name of the cluster in etcd.
    static let scope = "anabranch"

    let guarded: GuardedFolder
    let nodes: [PatroniNode]
    private let etcd: ChildProcess
    private let mode: ReplicationMode
    private static let database = "anabranch"

    /// Why there can be no cluster here; `nil` if there can.
    static let obstacle: String? =
        PostgreSQLCluster.obstacle
        ?? ["patroni", "patronictl", "etcd", "haproxy"].first { program($0) == nil }
        .map { "the program \($0) is not installed: run Scripts/setup --with-cluster" }

    /// The folder with Patroni's programs, where `Scripts/setup` installs them.
    private static let patroniPrograms =
        (ProcessInfo.processInfo.environment["ANABRANCH_PATRONI"] ?? "/opt/patroni") + "/bin"

    /// The path of a program; `nil` if it is not installed.
    static func program(_ name: String) -> String? {
        [patroniPrograms, "/usr/local/bin", "/usr/bin", "/usr/sbin"].map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Starts a cluster and creates the database.
    init(_ mode: ReplicationMode) throws {
        if let obstacle = Self.obstacle { throw FailedProcess(description: obstacle) }
        self.mode = mode
        let guarded = try GuardedFolder()
        self.guarded = guarded
        let (port, peerPort) = (try FreePort.find(), try FreePort.find())
        etcd = try Self.startEtcd(port, peerPort, in: guarded)
        nodes = try (1...3).map {
            try PatroniNode($0, mode: mode, etcdPort: port, in: guarded)
        }
        for node in nodes { try node.startPatroni() }
        try waitUntilHealthy(within: 180)
        try createDatabase()
    }

    private static func startEtcd(
        _ port: Int, _ peerPort: Int, in guarded: GuardedFolder
    ) throws -> ChildProcess {
        let data = guarded.folder.file("etcd")
        try FileManager.default.createDirectory(
            atPath: data, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try PostgreSQLCluster.give(data)
        let (client, peer) = ("http://127.0.0.1:\(port)", "http://127.0.0.1:\(peerPort)")
        return try guarded.start(
            [
                "etcd", "--name", "etcd", "--data-dir", data, "--listen-client-urls", client,
                "--advertise-client-urls", client, "--listen-peer-urls", peer,
                "--initial-advertise-peer-urls", peer, "--initial-cluster", "etcd=\(peer)",
                "--logger", "zap", "--log-level", "warn",
            ], as: "etcd")
    }

    private func createDatabase() throws {
        let leader = try leader()
        try PostgreSQLCluster.run(
            "createdb",
            ["-h", "127.0.0.1", "-p", "\(leader.clientPort)", "-U", "postgres", Self.database])
        for node in nodes { try waitForDatabase(at: node) }
    }

    /// Waits until a server has the new database. A standby gets it later than its leader, and
    /// libpq does not ask the next server after one that has no such database.
    private func waitForDatabase(at node: PatroniNode) throws {
        let arguments = [
            "-h", "127.0.0.1", "-p", "\(node.clientPort)", "-U", "postgres", "-c", "SELECT 1",
            Self.database,
        ]
        let end = ContinuousClock.now + .seconds(60)
        while true {
            do {
                return try PostgreSQLCluster.run("psql", arguments)
            } catch {
                guard ContinuousClock.now < end else { throw error }
                Thread.sleep(forTimeInterval: 0.2)
            }
        }
    }

    /// The URL of the database, with all servers.
    var url: String {
        let hosts = nodes.map { "127.0.0.1:\($0.clientPort)" }.joined(separator: ",")
        return "postgres://postgres@\(hosts)/\(Self.database)?target_session_attrs=read-write"
    }

    /// Ends all processes.
    func end() {
        for node in nodes { node.end() }
        guarded.end()
    }

    // MARK: State

    /// What Patroni says about a node.
    struct Member: Equatable {
        let name: String
        let role: String
        let isRunning: Bool
        let timeline: Int
    }

    /// The members, as the first Patroni that answers sees them.
    func members() -> [Member] {
        for node in nodes {
            let answer = LoopbackRequest(port: node.patroniPort, path: "/cluster").answer()
            guard let answer, answer.status == 200,
                let object = try? JSONSerialization.jsonObject(with: answer.body),
                let members = (object as? [String: Any])?["members"] as? [[String: Any]]
            else { continue }
            return members.map {
                Member(
                    name: $0["name"] as? String ?? "", role: $0["role"] as? String ?? "",
                    isRunning: ["running", "streaming"].contains($0["state"] as? String),
                    timeline: $0["timeline"] as? Int ?? 0)
            }
        }
        return []
    }

    /// True if there is a leader that two standbys follow.
    private var isHealthy: Bool {
        let members = members()
        return members.count == nodes.count && members.allSatisfy(\.isRunning)
            && Set(members.map(\.timeline)).count == 1
            && members.count { $0.role == "leader" } == 1
            && (mode == .asynchronous || members.contains { $0.role == "sync_standby" })
    }

    func waitUntilHealthy(within seconds: Double) throws {
        var deadline = Date(timeIntervalSinceNow: seconds)
        // What a node says of itself may be some seconds old, so the state has to last.
        var healthySeconds = 0
        var hasHelped = false
        while healthySeconds < 4 {
            if !hasHelped, Date() > deadline - seconds / 2 {
                hasHelped = true
                for name in standbysOnOldTimelines {
                    try copyAgain(name)
                    deadline += seconds / 2
                }
            }
            guard Date() < deadline else {
                throw FailedProcess(
                    description: "The cluster is not healthy: \(members()); its files are in "
                        + "\(guarded.folder.path).")
            }
            healthySeconds = isHealthy ? healthySeconds + 1 : 0
            sleep(1)
        }
    }

    /// The standbys that say that they follow the leader, but stay on an earlier timeline.
    private var standbysOnOldTimelines: [String] {
        let members = members()
        guard let leader = members.first(where: { $0.role == "leader" }), leader.isRunning
        else { return [] }
        return members.filter { $0.isRunning && $0.timeline < leader.timeline }.map(\.name)
    }

    /// Makes a standby a new copy of the leader, as an operator has to do: one that has read its
    /// log beyond the end of a timeline waits for the rest of that timeline for ever, and Patroni
    /// rewinds only former leaders.
    private func copyAgain(_ name: String) throws {
        print("cluster: \(name) copied again, which does not follow the leader's timeline")
        try patronictl("reinit", Self.scope, name, "--force")
    }

    /// The timeline of the leader; 0 if there is none. It never falls: a leader on an earlier one
    /// lacks what another leader has acknowledged since.
    var timeline: Int { members().first { $0.role == "leader" }?.timeline ?? 0 }

    func leader() throws -> PatroniNode {
        let name = members().first { $0.role == "leader" }?.name
        guard let leader = nodes.first(where: { $0.name == name }) else {
            throw FailedProcess(description: "The cluster has no leader: \(members()).")
        }
        return leader
    }

    /// Makes a standby the leader by `patronictl`.
    func switchOver() throws {
        let leader = try leader()
        let candidates = members().filter {
            $0.role == (mode == .synchronous ? "sync_standby" : "replica")
        }
        guard let candidate = candidates.first?.name else {
            throw FailedProcess(description: "No standby can take over: \(members()).")
        }
        try patronictl(
            "switchover", "--leader", leader.name, "--candidate", candidate, "--force")
    }

    private func patronictl(_ words: String...) throws {
        _ = try ChildProcess.output(
            of: URL(filePath: "/usr/bin/env"),
            PostgreSQLCluster.asPostgres + [
                "env", "LC_ALL=C.UTF-8", Self.program("patronictl") ?? "patronictl", "-c",
                try leader().configurationFile,
            ] + words)
    }
}
