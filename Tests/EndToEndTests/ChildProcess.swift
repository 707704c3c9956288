import Foundation

/// A child process, which ends with this object.
final class ChildProcess {
    private let process = Process()

    var isRunning: Bool { process.isRunning }

    /// The number by which the system knows the process.
    var identifier: Int32 { process.processIdentifier }

    /// - Parameter log: The file for both output streams; `nil` discards them.
    init(
        _ executable: URL, _ arguments: [String], environment: [String: String] = [:],
        log: URL? = nil
    ) throws {
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let output = try log.map(Self.append) ?? FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    deinit { kill() }

    /// The peak memory of the running process; `nil` after its end, before its program is loaded,
    /// or if the system does not report it.
    var peakBytes: Int? { bytes(named: "VmHWM") }

    /// The memory of the running process, as ``peakBytes``.
    var residentBytes: Int? { bytes(named: "VmRSS") }

    private func bytes(named name: String) -> Int? {
        // Until the program is loaded, the system reports the memory of the process that starts it.
        guard let program = Self.program(of: "\(process.processIdentifier)"),
            program != Self.program(of: "self")
        else { return nil }
        let status = try? String(
            contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        return line?.split(separator: " ").compactMap { Int($0) }.first.map { $0 << 10 }
    }

    /// The file that a process executes.
    private static func program(of process: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
    }

    /// Waits for the process to end.
    ///
    /// - Returns: Its exit status, and the peak memory that was observed.
    func waitWatchingMemory() -> (status: Int32, peakBytes: Int) {
        var peak = 0
        while process.isRunning {
            peak = max(peak, peakBytes ?? 0)
            usleep(5_000)
        }
        process.waitUntilExit()
        return (process.terminationStatus, peak)
    }

    private static func append(to file: URL) throws -> FileHandle {
        if !FileManager.default.fileExists(atPath: file.path) {
            _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        }
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        return handle
    }

    /// Ends the process as a crash does: no handler runs.
    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Asks the process to end, and waits.
    ///
    /// - Returns: Its exit status.
    func terminate() -> Int32 {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Runs a program to its end.
    ///
    /// - Returns: Its standard output.
    static func output(of executable: URL, _ arguments: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = executable
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw FailedProcess(
                description: "\(executable.lastPathComponent) \(arguments) ended with "
                    + "\(process.terminationStatus).")
        }
        return String(decoding: data, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

struct FailedProcess: Error, CustomStringConvertible {
    let description: String
}
