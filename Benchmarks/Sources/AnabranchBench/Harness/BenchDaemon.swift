import Foundation

/// The real server on a free port of this machine, until it is stopped.
final class BenchDaemon {
    let address: URL
    private let program: String
    private let folder: String
    private let process: Process

    /// Starts a server.
    ///
    /// - Parameter folder: The folder of its zones.
    init(program: String, folder: String) throws {
        self.program = program
        self.folder = folder
        let output = Pipe()
        process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["serve", "--store", "sqlite:\(folder)", "--listen", "127.0.0.1:0"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = Self.firstLine(of: output.fileHandleForReading)
        guard let word = line.split(separator: " ").last, let url = URL(string: String(word)),
            url.port != nil
        else {
            process.terminate()
            throw Unexpected("anabranchd said “\(line)” instead of its address")
        }
        address = url
    }

    /// The greatest number of bytes that it has had in memory.
    var maximumBytes: Int { ProcessMemory.maximumBytes(of: process.processIdentifier) }

    deinit { stop() }

    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// A token that may write to a zone.
    func token(forZone zone: String) throws -> String {
        let output = Pipe()
        let creation = Process()
        creation.executableURL = URL(fileURLWithPath: program)
        creation.arguments = [
            "token", "create", "--store", "sqlite:\(folder)", "--zone", zone, "--role", "write",
        ]
        creation.standardOutput = output
        try creation.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        creation.waitUntilExit()
        guard creation.terminationStatus == 0 else {
            throw Unexpected("anabranchd made no token")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func firstLine(of file: FileHandle) -> String {
        var line = ""
        while let byte = try? file.read(upToCount: 1), let character = byte.first,
            character != UInt8(ascii: "\n")
        {
            line.unicodeScalars.append(Unicode.Scalar(character))
        }
        return line
    }
}

extension Workbench {
    /// Starts a server with its zones in this benchmark's folder. Stop it at the end.
    func startDaemon() throws -> BenchDaemon {
        let folder = path("zones")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return try BenchDaemon(program: daemon, folder: folder)
    }
}
