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
        try run("token", "create", "--zone", zone, "--role", "write")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Removes all entries from the log of a zone, so that a new replica gets a snapshot.
    func compact(zone: String) throws {
        _ = try run("zone", "compact", zone, "--keep", "0")
    }

    /// Runs another command of the server's program for the same zones.
    ///
    /// - Returns: The output.
    private func run(_ arguments: String...) throws -> String {
        let output = Pipe()
        let command = Process()
        command.executableURL = URL(fileURLWithPath: program)
        command.arguments = arguments + ["--store", "sqlite:\(folder)"]
        command.standardOutput = output
        try command.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        command.waitUntilExit()
        guard command.terminationStatus == 0 else {
            throw Unexpected("anabranchd \(arguments.joined(separator: " ")) failed")
        }
        return text
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
