import AnabranchProtocol
import AnabranchServer
import Foundation

/// A daemon with its store, and the tokens of the zones that are measured.
final class LoadTarget {
    let folder: String
    let port: Int
    private let process: Process
    private let store: ZoneStore
    private let isTemporary: Bool

    init(_ options: LoadOptions) throws {
        let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        folder = "\(base)/anabranch-load-\(getpid())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let location = options.store ?? "sqlite:\(folder)/store"
        isTemporary = options.store == nil
        store = try ZoneStore(StoreLocation(location))
        let program = URL(fileURLWithPath: CommandLine.arguments[0])
            .deletingLastPathComponent().appendingPathComponent("anabranchd")
        let output = Pipe()
        process = Process()
        process.executableURL = program
        process.arguments = [
            "serve", "--store", location, "--listen", "127.0.0.1:0", "--log-level", "error",
            "--connections", "20000", "--connections-per-address", "20000", "--workers", "96",
            "--open-zones", "1200",
        ]
        process.standardOutput = output
        try process.run()
        let line = String(
            decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let word = line.split(whereSeparator: \.isWhitespace).last,
            let port = URL(string: String(word))?.port
        else { throw LoadError("anabranchd said \"\(line)\" instead of its address.") }
        self.port = port
    }

    /// Creates a zone with a token that may write.
    func makeZone(_ name: String) throws -> LoadZone {
        let zone = try ZoneName(name)
        let secret = try store.createToken(zone: zone, role: .write).secret.text
        return LoadZone(name: name, token: secret, port: port)
    }

    /// The daemon's memory in use, in bytes.
    var memory: Int {
        let path = "/proc/\(process.processIdentifier)/status"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }

    /// The number of files and connections that the daemon has open.
    var descriptorCount: Int {
        let folder = "/proc/\(process.processIdentifier)/fd"
        return (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? 0
    }

    /// The processor time that the daemon has used, in seconds.
    var processorTime: Double { ProcessorTime.seconds(of: Int(process.processIdentifier)) ?? 0 }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }
}

/// The name, the token and the port of a zone.
struct LoadZone: Sendable {
    let name: String
    let token: String
    let port: Int
}

/// The processor time of processes of this machine.
enum ProcessorTime {
    /// The seconds that a process has used; `nil` if it has ended.
    static func seconds(of process: Int) -> Double? {
        guard let fields = statistics(of: process)?.fields, fields.count > 12,
            let user = Double(fields[11]), let system = Double(fields[12])
        else { return nil }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The seconds that all processes of a name have used together.
    static func seconds(named name: String) -> Double {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { Int($0) }
            .filter { statistics(of: $0)?.name == name }
            .reduce(0) { $0 + (seconds(of: $1) ?? 0) }
    }

    /// The name of a process, and what follows it in the kernel's table.
    private static func statistics(of process: Int) -> (name: String, fields: [Substring])? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")")
        else { return nil }
        let name = text[text.index(after: open)..<close]
        return (String(name), text[text.index(after: close)...].split(separator: " "))
    }
}
