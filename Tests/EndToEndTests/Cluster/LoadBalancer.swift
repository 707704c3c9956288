import Foundation
import TestSupport

/// HAProxy before the daemons.
final class LoadBalancer {
    let port: Int
    private let process: ChildProcess

    init(before daemons: [DaemonUnderTest], in guarded: GuardedFolder) throws {
        port = try FreePort.find()
        let file = guarded.folder.file("haproxy.cfg")
        try Data(Self.configuration(port, daemons.map(\.port)).utf8)
            .write(to: URL(filePath: file))
        guard let program = PatroniCluster.program("haproxy") else {
            throw FailedProcess(description: "HAProxy is not installed.")
        }
        process = try guarded.start([program, "-db", "-f", file], as: "haproxy")
    }

    var isRunning: Bool { process.isRunning }

    var url: URL { URL(string: "http://127.0.0.1:\(port)")! }

    /// A daemon sends a sign of life on a silent stream every 20 seconds, so a minute without a
    /// byte is too long. A daemon stays in use as long as it lives, also without its database.
    private static func configuration(_ port: Int, _ daemons: [Int]) -> String {
        let servers = daemons.enumerated().map { number, port in
            "    server daemon\(number) 127.0.0.1:\(port) check inter 1s"
        }
        return """
            global
                maxconn 1000
            defaults
                mode http
                timeout connect 2s
                timeout client 60s
                timeout server 60s
                retries 2
                option redispatch
            frontend clients
                bind 127.0.0.1:\(port)
                default_backend daemons
            backend daemons
                balance roundrobin
                option httpchk
                http-check send meth GET uri /v1/health ver HTTP/1.1 hdr Host localhost
            \(servers.joined(separator: "\n"))

            """
    }
}
