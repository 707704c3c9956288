import AnabranchReplication
import Foundation
import TestSupport

/// A client with a separate link to the daemon, and the ledger of its saves.
final class PartitionedClient {
    let client: ClientUnderTest
    let link: NetworkLink
    private let ledger: String
    private let stop: String
    private let token: String
    private let log: URL
    private var process: ChildProcess?

    /// Creates a client with a running process.
    ///
    /// - Parameter port: The port of the proxy before the daemon; `nil` if there is none.
    init(
        _ number: Int, of daemon: DaemonUnderTest, through port: Int? = nil,
        in folder: TemporaryDirectory, seed: UInt64
    ) throws {
        client = try ClientUnderTest(unborn: number, of: daemon, in: folder)
        link = try NetworkLink(toDaemonAt: port ?? daemon.port)
        ledger = folder.file("ledger-\(number)")
        stop = folder.file("stop")
        token = daemon.token
        log = folder.url.appending(path: "client-\(number).log")
        try start(seed: seed)
    }

    func start(seed: UInt64) throws {
        process = try ChildProcess(
            try BuiltProducts.executable("SyncWorker"),
            [client.path, link.url.absoluteString, DaemonUnderTest.zone, "\(seed)", ledger, stop],
            environment: ["ANABRANCH_TOKEN": token], log: log)
    }

    var isRunning: Bool { process?.isRunning ?? false }

    /// The number of the process; zero before its start.
    var identifier: Int32 { process?.identifier ?? 0 }

    func kill() { process?.kill() }

    /// Returns the saves that succeeded for its app.
    func savedOrigins() throws -> Set<String> {
        let text = (try? String(contentsOfFile: ledger, encoding: .utf8)) ?? ""
        // A line that was not complete when the process was killed does not count.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return Set(lines.map(String.init))
    }

    struct Status: Equatable {
        let isCaughtUp: Bool
        let position: Int
        let text: String
    }

    /// Returns the output of `anabranch status`.
    func status() throws -> Status {
        let text = try ChildProcess.output(
            of: BuiltProducts.executable("anabranch"), ["status", client.path, "--json"])
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return Status(
            isCaughtUp: object?["isCaughtUp"] as? Bool ?? false,
            position: object?["position"] as? Int ?? -1, text: text)
    }

    var lastWords: String {
        ((try? String(contentsOf: log, encoding: .utf8)) ?? "").suffix(1_000).description
    }
}
