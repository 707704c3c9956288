import Foundation
import TestSupport

/// One run of the compiler over a source that uses the library, without code generation.
struct CompilerRun {
    struct Diagnostic {
        let file: String
        let line: Int
        let message: String
    }

    /// The errors, in the compiler's order.
    let errors: [Diagnostic]
    let output: String

    init(_ source: String, flags: [String] = []) throws {
        let folder = try TemporaryDirectory("anabranch-macros")
        try source.write(
            to: folder.url.appending(path: "Use.swift"), atomically: true, encoding: .utf8)
        let sources = Built.package.appending(path: "Sources")
        let modules = [
            "CCurl", "CICU/include", "CSodium", "CSQLite", "CSystem", "CZlib", "CZstd",
        ].map {
            sources.appending(path: $0).path
        }
        let arguments =
            [
                "swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library",
                "-diagnostic-style", "llvm", "-load-plugin-executable",
                PluginProcess.executable.path + "#AnabranchMacros",
            ]
            + ([Built.folder.appending(path: "Modules").path] + modules).flatMap { ["-I", $0] }
            + flags + ["Use.swift"]
        output = try Self.run(arguments, in: folder.url)
        errors = output.split(separator: "\n").compactMap { Self.diagnostic(in: $0) }
    }

    /// Runs a command until it ends.
    ///
    /// - Returns: What it wrote, and the signal if one ended it.
    private static func run(_ arguments: [String], in folder: URL) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.currentDirectoryURL = folder
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let text = String(decoding: output, as: UTF8.self)
        guard process.terminationReason == .uncaughtSignal else { return text }
        return text + "Signal \(process.terminationStatus) ended the compiler.\n"
    }

    /// Parses `file:line:column: error: message`, unless the line quotes that text.
    private static func diagnostic(in line: Substring) -> Diagnostic? {
        guard let match = line.firstMatch(of: /^(.+?):([0-9]+):[0-9]+: error: (.*)$/),
            let number = Int(match.2)
        else { return nil }
        return Diagnostic(file: String(match.1), line: number, message: String(match.3))
    }

    /// Whether the compiler that builds these tests is on the PATH.
    static let isPossible: Bool = {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/swiftc") }
    }()
}
