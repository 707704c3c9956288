import CRawSQLite
import Foundation

/// Counts every operation, prints the counts and writes them to a file.
///
/// It needs the tools valgrind, strace and objcopy.
struct CountCommand {
    /// The path of the file that is written if every operation could be counted.
    let file: String
    let workbench: Workbench

    func run() async throws {
        let stage = try CountStage(workbench)
        defer { stage.stop() }
        var rows: [(operation: CountedOperation, counts: OperationCounts)] = []
        var failures: [String] = []
        for operation in CountedOperation.allCases {
            try? FileHandle.standardError.write(contentsOf: Data("\(operation.rawValue)\n".utf8))
            do {
                rows.append((operation, try await stage.counts(of: operation)))
            } catch {
                failures.append("\(operation.rawValue)  FAILED: \(error)")
            }
        }
        let text = CountTable(
            rows: rows, swiftVersion: try version("swift", "--version"),
            sqliteVersion: String(cString: sqlite3_libversion()),
            valgrindVersion: try version("valgrind", "--version"),
            architecture: try version("uname", "-m")
        ).text
        print(([text] + failures).joined(separator: "\n"))
        guard failures.isEmpty else { throw FailedMeasurements(count: failures.count) }
        try text.write(toFile: file, atomically: true, encoding: .utf8)
    }

    /// What a tool says of itself, in one line.
    private func version(_ tool: String, _ option: String) throws -> String {
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [tool, option]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = try output.fileHandleForReading.nextLine() ?? tool
        _ = try output.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        // The compiler's line ends with its build in parentheses.
        return line.prefix { $0 != "(" }.trimmingCharacters(in: .whitespaces)
    }
}
