import Foundation

/// One run of the built plug-in.
struct PluginProcess {
    let status: Int32
    let answers: [PluginAnswer]
    let errors: String

    /// - Parameters:
    ///   - input: Everything that the plug-in receives before its input ends.
    ///   - readsAnswers: False if the pipe for the answers is closed before the first one.
    init(input: Data, readsAnswers: Bool = true) throws {
        let process = Process()
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        process.executableURL = Self.executable
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stderr
        try process.run()
        if !readsAnswers { try stdout.fileHandleForReading.close() }
        try stdin.fileHandleForWriting.write(contentsOf: input)
        try stdin.fileHandleForWriting.close()
        var output = readsAnswers ? stdout.fileHandleForReading.readDataToEndOfFile() : Data()
        errors = String(decoding: stderr.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationReason == .exit ? process.terminationStatus : -1
        var answers: [PluginAnswer] = []
        while output.count >= 8 {
            let byteCount = output.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
            answers.append(try PluginAnswer(Data(output.dropFirst(8).prefix(byteCount))))
            output = Data(output.dropFirst(8 + byteCount))
        }
        self.answers = answers
    }

    /// The program. Compiler plug-ins are built for the build machine, under a separate name.
    static var executable: URL {
        let folder = Built.folder
        let tool = folder.appending(path: "AnabranchMacros-tool")
        return FileManager.default.isExecutableFile(atPath: tool.path)
            ? tool : folder.appending(path: "AnabranchMacros")
    }
}

/// The places of built products.
enum Built {
    static let folder: URL = {
        let runner = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let bundle = Bundle.main.bundleURL
        return [runner, bundle, bundle.deletingLastPathComponent()].first {
            FileManager.default.fileExists(atPath: $0.appending(path: "Modules").path)
        } ?? runner
    }()

    static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
