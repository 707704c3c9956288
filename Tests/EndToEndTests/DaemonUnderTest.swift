import Foundation
import TestSupport

/// A daemon on a free loopback port, which keeps its port when it restarts.
final class DaemonUnderTest {
    let token: String
    let log: URL
    private let portFile: String
    private(set) var store: String
    private let executable: URL
    /// Further options of `serve`.
    private let options: [String]
    private var process: ChildProcess?
    private(set) var port = 0

    static let zone = "notes"

    /// Starts a daemon.
    ///
    /// - Parameters:
    ///   - store: The location of the zones; `nil` for a directory in `folder`.
    ///   - number: Distinguishes the daemons in one folder.
    ///   - options: Further options of `serve`.
    init(
        in folder: TemporaryDirectory, store: String? = nil, number: Int = 0,
        options: [String] = []
    ) throws {
        self.options = options
        self.store = store ?? "sqlite:\(folder.file("zones"))"
        portFile = folder.file("port-\(number)")
        log = folder.url.appending(path: "daemon-\(number).log")
        executable = try BuiltProducts.executable("anabranchd")
        token = try Self.makeToken(for: Self.zone, in: self.store)
        try start()
    }

    /// Creates a token for a zone, and the zone.
    static func makeToken(
        for zone: String, role: String = "write", in store: String
    ) throws -> String {
        try ChildProcess.output(
            of: BuiltProducts.executable("anabranchd"),
            ["token", "create", "--zone", zone, "--role", role, "--store", store])
    }

    /// The number of the running process; zero if it does not run.
    var identifier: Int32 { process.map { $0.isRunning ? $0.identifier : 0 } ?? 0 }

    var url: URL { URL(string: "http://127.0.0.1:\(port)")! }

    func start() throws {
        try? FileManager.default.removeItem(atPath: portFile)
        process = try ChildProcess(
            executable,
            [
                "serve", "--store", store, "--listen", "127.0.0.1:\(port)", "--port-file", portFile,
                "--log-level", "info",
            ] + options, log: log)
        let deadline = Date(timeIntervalSinceNow: 120)
        while Date() < deadline, process?.isRunning ?? false {
            let text = (try? String(contentsOfFile: portFile, encoding: .utf8)) ?? ""
            if let found = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) {
                port = found
                return
            }
            usleep(2000)
        }
        let lines = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        throw FailedProcess(description: "The daemon does not listen: \(lines.suffix(2000))")
    }

    /// Starts the daemon with another store, at the same port.
    func start(at store: String) throws {
        self.store = store
        try start()
    }

    func kill() { process?.kill() }

    /// The peak memory of the process.
    var peakBytes: Int { process?.peakBytes ?? 0 }

    /// The memory of the process.
    var residentBytes: Int { process?.residentBytes ?? 0 }

    /// - Returns: The exit status.
    func stop() -> Int32 { process?.terminate() ?? -1 }

    /// Returns the hash of the zone's state, which the stopped daemon's own command prints.
    func hash() throws -> String {
        try ChildProcess.output(
            of: executable,
            ["zone", "hash", Self.zone, "--store", store])
    }
}
