import Foundation
import TestSupport

/// One PostgreSQL server under Patroni, which other processes reach through links.
///
/// Patroni and the server run as the user `postgres`. Daemons reach the server through one link,
/// the other servers through another one, and Patroni reaches etcd through a third.
final class PatroniNode {
    enum Link: CaseIterable { case clients, replication, etcd }

    let name: String
    /// The port of Patroni's own interface.
    let patroniPort: Int
    private let guarded: GuardedFolder
    private let links: [Link: NetworkLink]
    private let serverPort: Int
    private var patroni: ChildProcess?

    /// Writes the configuration of a node, without starting it.
    init(
        _ number: Int, mode: ReplicationMode, etcdPort: Int, in guarded: GuardedFolder
    ) throws {
        name = "node\(number)"
        self.guarded = guarded
        serverPort = try FreePort.find()
        patroniPort = try FreePort.find()
        links = [
            .clients: try NetworkLink(toDaemonAt: serverPort),
            .replication: try NetworkLink(toDaemonAt: serverPort),
            .etcd: try NetworkLink(toDaemonAt: etcdPort),
        ]
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try Data(try configuration(mode).utf8).write(to: URL(filePath: configurationFile))
        for path in [folder, configurationFile] { try PostgreSQLCluster.give(path) }
    }

    private var folder: String { guarded.folder.file(name) }
    var configurationFile: String { "\(folder)/patroni.yml" }

    /// The port at which daemons reach the server.
    var clientPort: Int { port(.clients) }

    private func port(_ link: Link) -> Int { links[link]?.port ?? 0 }

    /// Sets the condition of links.
    func set(_ condition: NetworkLink.Condition, on chosen: [Link] = Link.allCases) {
        for link in chosen { links[link]?.set(condition) }
    }

    func end() { for link in links.values { link.close() } }

    // MARK: Processes

    func startPatroni() throws {
        patroni = try guarded.start(
            [PatroniCluster.program("patroni") ?? "patroni", configurationFile],
            as: "\(name)-patroni")
    }

    /// Kills Patroni. The server goes on.
    func killPatroni() { patroni?.kill() }

    /// Kills the server's main process; its other processes end when they notice.
    func killServer() {
        if let server { kill(server, SIGKILL) }
    }

    /// Stops all processes of the node, as a machine does that hangs.
    func freeze() throws {
        var stopped: [Int32] = []
        // The main process is stopped before its children are listed, so that it starts no more.
        for process in [patroni?.identifier, server].compactMap({ $0 }) {
            kill(process, SIGSTOP)
            stopped.append(process)
        }
        if let server {
            for process in Self.children(of: server) {
                kill(process, SIGSTOP)
                stopped.append(process)
            }
        }
        let lines = stopped.map { "\($0)\n" }.joined()
        try Data(lines.utf8).write(to: URL(filePath: frozenFile))
    }

    /// Continues the processes that were stopped.
    func thaw() {
        let lines = (try? String(contentsOfFile: frozenFile, encoding: .utf8)) ?? ""
        for process in lines.split(separator: "\n").compactMap({ Int32($0) }) {
            kill(process, SIGCONT)
        }
        try? FileManager.default.removeItem(atPath: frozenFile)
    }

    private var frozenFile: String { guarded.folder.file("frozen/\(name)") }

    /// The number of the server's main process.
    private var server: Int32? {
        let file = try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        return file.flatMap { $0.split(separator: "\n").first }.flatMap { Int32($0) }
    }

    private static func children(of parent: Int32) -> [Int32] {
        let threads = "/proc/\(parent)/task/\(parent)/children"
        let text = (try? String(contentsOfFile: threads, encoding: .utf8)) ?? ""
        return text.split(separator: " ").compactMap { Int32($0) }
    }

    // MARK: Configuration

    /// The longest time without a sign of life after which a leader loses its lease.
    static let leaseSeconds = 20

    private func configuration(_ mode: ReplicationMode) throws -> String {
        let programs = URL(filePath: try PostgreSQLCluster.program("postgres"))
            .deletingLastPathComponent().path
        return """
            scope: \(PatroniCluster.scope)
            name: \(name)
            restapi:
              listen: 127.0.0.1:\(patroniPort)
              connect_address: 127.0.0.1:\(patroniPort)
            etcd3:
              hosts: ["127.0.0.1:\(port(.etcd))"]
              use_proxies: true
            bootstrap:
              dcs:
                ttl: \(Self.leaseSeconds)
                loop_wait: 2
                retry_timeout: 5
                primary_start_timeout: 0
                synchronous_mode: \(mode == .synchronous)
                postgresql:
                  use_pg_rewind: true
                  use_slots: true
                  parameters:
                    max_connections: 150
                    shared_buffers: 32MB
                    max_wal_size: 256MB
                    wal_keep_size: 128MB
              initdb: [{encoding: UTF8}, {locale: C}, {auth: trust}, data-checksums]
              pg_hba:
                - local all all trust
                - host all all 127.0.0.1/32 trust
                - host replication all 127.0.0.1/32 trust
            postgresql:
              listen: 127.0.0.1:\(serverPort)
              connect_address: 127.0.0.1:\(port(.replication))
              use_unix_socket: true
              data_dir: \(folder)/data
              bin_dir: \(programs)
              pgpass: \(folder)/pgpass
              remove_data_directory_on_rewind_failure: true
              remove_data_directory_on_diverged_timelines: true
              authentication:
                superuser: {username: postgres}
                replication: {username: postgres}
              parameters:
                unix_socket_directories: \(folder)

            """
    }
}

/// How a leader's commits reach the standbys.
enum ReplicationMode: String {
    /// A commit waits until a standby has it.
    case synchronous
    /// A commit does not wait, so a failover may lose it.
    case asynchronous
}
