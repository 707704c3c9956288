import Foundation

/// Starts a ``CountedRun``, possibly within a tool that watches it, and makes the remote changes
/// that it asks for.
struct CountProcess {
    /// The program, or a tool with its arguments and the program.
    let command: [String]
    /// The file that receives the standard error.
    let errors: URL

    /// Runs the process to its end.
    ///
    /// - Parameters:
    ///   - arguments: What follows the command.
    ///   - makeRemoteChange: Lets another replica push one change.
    /// - Returns: The lines that the process printed, without its requests.
    func run(
        _ arguments: [String], makeRemoteChange: () async throws -> Void
    ) async throws -> [String] {
        // A process that has ended is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        let (input, output) = (Pipe(), Pipe())
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command + arguments
        // Hashes with a random seed would give other instructions in each run.
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["SWIFT_DETERMINISTIC_HASHING": "1"]) { _, new in new }
        process.standardInput = input
        process.standardOutput = output
        try Data().write(to: errors)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        defer { if process.isRunning { process.terminate() } }
        var lines: [String] = []
        while let line = try output.fileHandleForReading.nextLine() {
            guard line + "\n" == CountedRun.request else {
                lines.append(line)
                continue
            }
            try await makeRemoteChange()
            try input.fileHandleForWriting.write(contentsOf: Data(CountedRun.answer.utf8))
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let text = try String(contentsOf: errors, encoding: .utf8).suffix(500)
            throw Unexpected(
                "\(command[0]) exited with \(process.terminationStatus), and said “\(text)”")
        }
        return lines
    }
}

extension FileHandle {
    /// The bytes up to the next end of a line, as text; `nil` at the end.
    func nextLine() throws -> String? {
        var bytes: [UInt8] = []
        while let byte = try read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
