import Foundation
import TestSupport
import Testing

/// A daemon with small limits, a hook that hangs for one zone, and clients that mean no harm.
final class SiegeWorld {
    static let budget = 128 << 20
    private static let quotas = ["bytes": 96 << 20, "records": 200_000, "replicas": 300]

    let daemon: DaemonUnderTest
    let clients: HonestClients
    private let folder: TemporaryDirectory
    private let cluster: PostgreSQLCluster?
    private let divisor: Int
    private let tokens: (reader: String, writer: String, hungWriter: String)

    /// - Parameter divisor: Makes the attackers fewer, see ``SiegeTarget/divisor``.
    init(on cluster: PostgreSQLCluster?, divisor: Int) throws {
        self.cluster = cluster
        self.divisor = divisor
        folder = try TemporaryDirectory("siege")
        daemon = try DaemonUnderTest(
            in: folder, store: try cluster?.makeDatabase(),
            options: [
                "--buffer-limit", "\(Self.budget)", "--connections", "700",
                "--connections-per-address", "300", "--validate",
                "command:\(try Self.hook(in: folder))",
                "--validate-timeout", "1000",
            ])
        let store = daemon.store
        tokens = (
            try DaemonUnderTest.makeToken(for: DaemonUnderTest.zone, role: "read", in: store),
            try DaemonUnderTest.makeToken(for: SiegeTarget.zone, in: store),
            try DaemonUnderTest.makeToken(for: SiegeTarget.hungZone, in: store)
        )
        clients = try HonestClients(of: daemon, in: folder)
        _ = try zone("limit", Self.quotas.flatMap { ["--\($0.key)", "\($0.value)"] })
    }

    private static func hook(in folder: TemporaryDirectory) throws -> String {
        let path = folder.file("hook.py")
        let text = """
            #!/usr/bin/python3
            import json, sys, time
            for line in sys.stdin:
                request = json.loads(line)
                if request["zone"] == "\(SiegeTarget.hungZone)": time.sleep(30)
                results = [{"accept": True} for each in request["changeSets"]]
                answer = {"version": 1, "id": request["id"], "results": results}
                print(json.dumps(answer), flush=True)
            """
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return path
    }

    /// Runs a command for the zone of the attackers.
    private func zone(_ command: String, _ options: [String] = []) throws -> String {
        try ChildProcess.output(
            of: BuiltProducts.executable("anabranchd"),
            ["zone", command, SiegeTarget.zone, "--store", daemon.store] + options)
    }

    /// What attackers know of the daemon.
    var target: SiegeTarget {
        SiegeTarget(
            port: daemon.port, reader: tokens.reader, writer: tokens.writer,
            hungWriter: tokens.hungWriter, divisor: divisor)
    }

    /// Expects that the attackers' zone is within its quotas and undamaged.
    func expectQuotas() throws {
        var names: Set<String> = []
        for line in try zone("limit").split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            try #require(words.count == 4 && words[2] == "of", "\(line)")
            let used = try #require(Int(words[1]), "\(line)")
            names.insert(words[0])
            if let limit = Self.quotas[words[0]] {
                #expect(words[3] == "\(limit)" && used <= limit, "\(line)")
            } else {
                #expect(words[0] == "daily-bytes" && words[3] == "the daemon's default", "\(line)")
            }
        }
        #expect(names == Set(Self.quotas.keys).union(["daily-bytes"]))
        _ = try zone("verify")
    }

    /// Stops the daemon during a siege and starts it again.
    ///
    /// - Returns: The seconds that the stop took.
    func restart(seed: UInt64) throws -> Double {
        let siege = Siege(of: target, seed: seed)
        defer { _ = siege.lift() }
        usleep(UInt32(500_000 + seed % 2_000_000))
        let start = Date()
        let status = daemon.stop()
        let seconds = Date().timeIntervalSince(start)
        #expect(status == 0, "the daemon ended with \(status)")
        try daemon.start()
        return seconds
    }

    func end() {
        clients.close()
        daemon.kill()
        cluster?.stop()
    }
}
