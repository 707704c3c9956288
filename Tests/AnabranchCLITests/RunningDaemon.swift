import AnabranchSQLite
import Foundation
import TestSupport

/// A daemon on a free port, which ends with this object.
final class RunningDaemon {
    let url: String
    let tokenFile: String
    private let zone: String
    private let folder: TemporaryDirectory
    private let process = Process()

    /// - Parameters:
    ///   - zone: The name of the zone. It is created, with a token for writing.
    ///   - options: Further arguments of `anabranchd serve`.
    init(zone: String, options: [String] = []) throws {
        self.zone = zone
        folder = try TemporaryDirectory("anabranch-cli")
        let store = ["--store", "sqlite:\(folder.file("zones"))"]
        let made = try ToolRun(
            ["token", "create", "--zone", zone, "--role", "write"] + store, of: "anabranchd")
        tokenFile = folder.file("token")
        try Data(made.output.utf8).write(to: URL(filePath: tokenFile))
        let port = folder.file("port")
        process.executableURL = try ToolRun.executable("anabranchd")
        process.arguments =
            ["serve", "--listen", "127.0.0.1:0", "--port-file", port] + store + options
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let scheme = options.contains("--tls-key") ? "https" : "http"
        url = "\(scheme)://127.0.0.1:\(try Self.number(in: port, of: process))"
    }

    deinit {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
    }

    /// Creates another token.
    ///
    /// - Returns: The file with the token.
    func token(role: String) throws -> String {
        let made = try ToolRun(
            [
                "token", "create", "--zone", zone, "--role", role, "--store",
                "sqlite:\(folder.file("zones"))",
            ], of: "anabranchd")
        let file = folder.file("token-\(role)")
        try Data(made.output.utf8).write(to: URL(filePath: file))
        return file
    }

    func revokeTokens() throws {
        let store = ["--store", "sqlite:\(folder.file("zones"))"]
        _ = try ToolRun(["token", "revoke", "1"] + store, of: "anabranchd")
    }

    /// Runs a command of the daemon's program while the daemon runs.
    func run(_ words: String...) throws -> ToolRun {
        try ToolRun(words + ["--store", "sqlite:\(folder.file("zones"))"], of: "anabranchd")
    }

    /// Changes the zone's file while the daemon runs.
    ///
    /// - Returns: The number of changed rows.
    func change(_ sql: String) throws -> Int {
        let connection = try Connection(path: folder.file("zones/zones/\(zone).sqlite"))
        defer { connection.close() }
        try connection.execute(sql)
        return connection.changes
    }

    func hash(ofZone zone: String) throws -> String {
        try ToolRun(
            ["zone", "hash", zone, "--store", "sqlite:\(folder.file("zones"))"], of: "anabranchd"
        ).output
    }

    private static func number(in file: String, of process: Process) throws -> Int {
        let deadline = Date(timeIntervalSinceNow: 120)
        while Date() < deadline, process.isRunning {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            if let number = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) {
                return number
            }
            usleep(5000)
        }
        throw ToolRun.MissingTool(description: "The daemon does not listen.")
    }
}
