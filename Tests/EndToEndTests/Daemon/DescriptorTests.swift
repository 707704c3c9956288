import Foundation
import TestSupport
import Testing

/// Tests of a daemon that may open few files.
@Suite(.waiting) struct DescriptorTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory("descriptors") }

    private var store: String { "sqlite:\(folder.file("zones"))" }

    /// Starts a daemon with a hard limit of open files.
    private func start(limit: Int) throws -> (daemon: RunningProcess, port: Int) {
        let portFile = folder.file("port")
        let program = try BuiltProducts.executable("anabranchd").path
        let daemon = try RunningProcess(
            executable: "/bin/sh",
            [
                "-c", "ulimit -n \(limit); exec \"$@\"", "sh", program, "serve", "--store", store,
                "--listen", "127.0.0.1:0", "--port-file", portFile,
            ], scratch: folder.url)
        for _ in 0..<1500 {
            let text = (try? String(contentsOfFile: portFile, encoding: .utf8)) ?? ""
            if let port = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) {
                return (daemon, port)
            }
            usleep(20_000)
        }
        daemon.send(SIGKILL)
        throw FailedProcess(description: "The daemon does not listen: \(daemon.complained)")
    }

    @Test func `more idle connections than files end no daemon, and others are served`() throws {
        let (daemon, port) = try start(limit: 256)
        for _ in 0..<3 {
            let idle = try (0..<400).map { _ in try LoopbackClient(port: port) }
            let client = try LoopbackClient(port: port)
            client.get("/v1/health")
            #expect(client.statusLine() == "HTTP/1.1 200 OK")
            withExtendedLifetime(idle) {}
        }
        daemon.send(SIGTERM)
        let outcome = try daemon.wait()
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("lowered connections from 10000 to"))
    }

    @Test func `zones are found one after the other with few files`() throws {
        let names = (1...20).map { "z\($0)" }
        for name in names {
            _ = try ChildProcess.output(
                of: BuiltProducts.executable("anabranchd"),
                ["zone", "create", name, "--store", store])
        }
        let token = try ChildProcess.output(
            of: BuiltProducts.executable("anabranchd"),
            ["token", "create", "--zone", "z*", "--role", "read", "--store", store])
        let (daemon, port) = try start(limit: 128)
        for name in names + names {
            let client = try LoopbackClient(port: port)
            client.get("/v1/zones/\(name)/hash", token: token)
            #expect(client.statusLine() == "HTTP/1.1 200 OK")
        }
        daemon.send(SIGTERM)
        let outcome = try daemon.wait()
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("lowered open-zones from 256 to"))
    }
}
