import Foundation
package import Testing

/// A PostgreSQL server of the tests' own, in a temporary folder, reached through a Unix socket or a
/// free port of the loopback address.
///
/// PostgreSQL refuses to run as root, so root starts it as the user `postgres`. It ends with the
/// process of the tests, also if that is killed.
package final class PostgreSQLCluster: @unchecked Sendable {
    /// Why there can be no cluster here; `nil` if there can.
    package static let obstacle: String? = {
        if programs == nil { return "PostgreSQL's server is not installed" }
        if geteuid() == 0, getpwnam("postgres") == nil { return "there is no user postgres" }
        return nil
    }()

    /// The cluster that all tests of a process share.
    package static let shared = Result { try PostgreSQLCluster() }

    /// The URL of a database, over the Unix socket.
    package func url(database: String = "postgres") -> String {
        "postgres:///\(database)?host=\(folder.path)&port=\(port)&user=postgres"
    }

    /// Creates a database of a new name.
    ///
    /// - Returns: Its URL.
    package func makeDatabase() throws -> String {
        let name = "d" + UUID().uuidString.lowercased().replacing("-", with: "")
        try Self.run("createdb", ["-h", folder.path, "-p", "\(port)", "-U", "postgres", name])
        return url(database: name)
    }

    /// The port of the loopback address.
    package let port: Int

    /// The lines that the server has logged.
    package func logLines() throws -> [String] {
        try String(contentsOfFile: folder.file("log"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    private let folder: TemporaryDirectory
    private var data: String { folder.file("data") }
    private var server: Process?
    private var input: Pipe?

    private let settings: [String]

    /// Creates and starts a cluster, with changes flushed to the disk.
    ///
    /// - Parameter settings: Settings of the server, such as `log_statement=all`.
    package init(_ settings: [String] = []) throws {
        self.settings = settings
        guard Self.obstacle == nil else { throw ClusterError(Self.obstacle ?? "") }
        folder = try TemporaryDirectory("postgres")
        port = try FreePort.find()
        try Self.give(folder.path)
        try Self.run(
            "initdb",
            [
                "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
                "--no-sync",
            ])
        try start()
    }

    deinit { stop() }

    /// Makes the user `postgres` the owner of a file if root runs the tests.
    package static func give(_ path: String) throws {
        guard geteuid() == 0, let user = getpwnam("postgres") else { return }
        guard chown(path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
            throw ClusterError("The file \(path) can't be given to postgres.")
        }
    }

    /// Starts the server and waits until it accepts connections.
    package func start() throws {
        // A server that was killed may have processes that have not noticed yet, and then the new
        // one ends at once.
        for _ in 0..<10 {
            try launch()
            if isReady(within: 5) { return }
            endShell()
        }
        throw ClusterError("The server did not start; its log is \(folder.file("log")).")
    }

    private func isReady(within seconds: TimeInterval) -> Bool {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while Date() < deadline {
            do {
                try Self.run("pg_isready", ["-q", "-h", folder.path, "-p", "\(port)"])
                return true
            } catch { usleep(50_000) }
        }
        return false
    }

    private func launch() throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            ["-c", Self.script, "sh", folder.path] + Self.asPostgres + [
                try Self.program("postgres"), "-D", data, "-k", folder.path,
                "-h", "127.0.0.1", "-p", "\(port)", "-c", "max_connections=300",
            ] + settings.flatMap { ["-c", $0] }
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try log()
        try process.run()
        server = process
        input = pipe
    }

    private func endShell() {
        try? input?.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        server?.waitUntilExit()
        server = nil
        input = nil
    }

    /// Stops the server when the input ends, which is when the process of the tests ends, and
    /// removes the folder then. A line of input ends only the shell.
    private static let script = """
        folder=$1; shift
        "$@" & child=$!
        read line && exit
        kill -INT $child
        while [ -e "$folder/data/postmaster.pid" ]; do sleep 0.05; done
        rm -rf "$folder"
        """

    private func log() throws -> FileHandle {
        let path = folder.file("log")
        let isThere =
            FileManager.default.fileExists(atPath: path)
            || FileManager.default.createFile(atPath: path, contents: nil)
        guard isThere, let handle = FileHandle(forWritingAtPath: path) else {
            throw ClusterError("The file \(path) can't be written.")
        }
        handle.seekToEndOfFile()
        return handle
    }

    /// Stops the server, which ends all connections.
    package func stop() { stop(by: "fast") }

    /// Ends all processes of the server at once, without a checkpoint, as a loss of power does.
    package func stopImmediately() { stop(by: "immediate") }

    private func stop(by mode: String) {
        guard server != nil else { return }
        try? Self.run("pg_ctl", ["stop", "-D", data, "-m", mode, "-s", "-w"])
        endShell()
    }

    /// Kills the server's main process; its other processes end when they notice.
    package func kill() {
        if let processID { Foundation.kill(processID, SIGKILL) }
        endShell()
    }

    /// The number of the server's main process.
    private var processID: Int32? {
        let file = try? String(contentsOfFile: folder.file("data/postmaster.pid"), encoding: .utf8)
        return file.flatMap { $0.split(separator: "\n").first }.flatMap { Int32($0) }
    }

    // MARK: Programs

    private static let programs: String? = {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql"))
        let candidates =
            (folders ?? []).sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
            .map { "/usr/lib/postgresql/\($0)/bin" } + ["/usr/local/bin", "/usr/bin"]
        return candidates.first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
    }()

    /// The path of one of PostgreSQL's programs.
    package static func program(_ name: String) throws -> String {
        guard let programs else { throw ClusterError("There is no \(name).") }
        return "\(programs)/\(name)"
    }

    /// The words before a command that make root run it as the user `postgres`; empty for others.
    package static let asPostgres =
        geteuid() == 0
        ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"] : []

    /// Runs one of PostgreSQL's programs until it ends.
    ///
    /// - Throws: ``ClusterError`` if it fails.
    package static func run(_ name: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = asPostgres + [try program(name)] + arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ClusterError("\(name) has failed with status \(process.terminationStatus).")
        }
    }
}

/// The reason why a cluster can't be used.
package struct ClusterError: Error, CustomStringConvertible {
    /// The reason as a sentence.
    package let description: String
    init(_ description: String) { self.description = description }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test where PostgreSQL's server is not installed.
    package static var needsPostgreSQL: Self {
        .enabled(
            if: PostgreSQLCluster.obstacle == nil,
            "PostgreSQL's server is not installed, or there is no user postgres")
    }
}
