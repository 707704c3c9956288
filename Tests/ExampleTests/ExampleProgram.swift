import Foundation

/// A program of the examples, built beside the tests.
struct ExampleProgram {
    private let url: URL

    init(_ name: String) {
        url = URL(filePath: CommandLine.arguments[0])
            .deletingLastPathComponent().appending(path: name)
    }

    /// Runs the program and waits for its end.
    ///
    /// - Returns: Its standard output and its exit status.
    func run(
        _ arguments: [String] = [], in folder: URL? = nil
    ) throws -> (output: String, status: Int32) {
        let process = Process()
        let output = Pipe()
        process.executableURL = url
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: data, as: UTF8.self), process.terminationStatus)
    }
}
