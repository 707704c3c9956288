import Foundation

/// A program of this package that runs as a separate process.
struct RunningProcess {
    /// The result of a program that has ended.
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Returns a program beside the test bundle.
    static func program(_ name: String) -> URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let folder =
            bundle?.bundleURL.deletingLastPathComponent()
            ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return folder.appendingPathComponent(name)
    }

    private let process = Process()
    private let output: URL
    private let errors: URL

    /// Starts the program. Its output goes to files, so that no pipe can fill up.
    ///
    /// - Parameter environment: Variables that it has besides those of the tests.
    init(
        _ name: String, _ arguments: [String], scratch: URL, environment: [String: String] = [:]
    ) throws {
        try self.init(
            executable: Self.program(name).path, arguments, scratch: scratch,
            environment: environment)
    }

    /// Starts any program of the system.
    init(
        executable: String, _ arguments: [String], scratch: URL,
        environment: [String: String] = [:]
    ) throws {
        output = scratch.appendingPathComponent("out-\(UUID().uuidString)")
        errors = scratch.appendingPathComponent("err-\(UUID().uuidString)")
        for file in [output, errors] {
            _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        }
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
    }

    static func run(
        _ name: String, _ arguments: [String], scratch: URL, environment: [String: String] = [:]
    ) throws -> Outcome {
        try RunningProcess(name, arguments, scratch: scratch, environment: environment).wait()
    }

    var printed: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    /// The program's messages on standard error until now.
    var complained: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    func wait() throws -> Outcome {
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: printed,
            errors: try String(contentsOf: errors, encoding: .utf8))
    }
}
