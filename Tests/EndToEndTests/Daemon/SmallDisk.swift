import Foundation
import TestSupport

/// A disk with little room, which only the programs see that are started on it.
///
/// It is in memory, and mounted in a namespace of its own, which ends with the process of the
/// tests.
final class SmallDisk {
    /// True if the tests may have such a disk on this system.
    static let canBeMade = (try? SmallDisk("size=64k")) != nil

    /// Its folder, as the programs on it see it.
    let path: String
    private let folder: TemporaryDirectory
    private let shell = Process()
    private let input = Pipe()

    /// - Parameter limits: The options of Linux's `tmpfs`, such as `size=8m`.
    init(_ limits: String) throws {
        folder = try TemporaryDirectory("disk")
        path = folder.path
        let output = Pipe()
        shell.executableURL = URL(filePath: "/usr/bin/env")
        shell.arguments = [
            "unshare", "--map-root-user", "--mount", "sh", "-c",
            "mount -t tmpfs -o \"$1\" none \"$2\" && echo mounted && read -r line", "sh", limits,
            path,
        ]
        shell.standardInput = input
        shell.standardOutput = output
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        guard !output.fileHandleForReading.availableData.isEmpty else {
            throw FailedProcess(description: "This system gives the tests no small disk.")
        }
    }

    deinit {
        kill(shell.processIdentifier, SIGKILL)
        shell.waitUntilExit()
    }

    /// Starts a program that sees the disk.
    func start(
        _ program: URL, _ arguments: [String], scratch: URL, environment: [String: String] = [:]
    ) throws -> RunningProcess {
        try RunningProcess(
            executable: "/usr/bin/env",
            [
                "nsenter", "--target", "\(shell.processIdentifier)", "--user", "--mount",
                "--preserve-credentials", "--", program.path,
            ] + arguments, scratch: scratch, environment: environment)
    }

    /// The folder, as this process sees it.
    private var place: String { "/proc/\(shell.processIdentifier)/root\(path)" }

    private var filler: String { place + "/filler" }

    /// Fills the disk up to a number of free bytes.
    func fill(leaving rest: Int = 0) throws {
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: place)
        let free = (attributes[.systemFreeSize] as? NSNumber)?.intValue ?? 0
        if !FileManager.default.fileExists(atPath: filler) {
            try Data().write(to: URL(filePath: filler))
        }
        let file = try FileHandle(forWritingTo: URL(filePath: filler))
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: Data(count: free - rest))
    }

    /// Frees what ``fill(leaving:)`` has filled.
    func clear() throws { try FileManager.default.removeItem(atPath: filler) }
}
