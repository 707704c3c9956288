import Foundation
import TestSupport
import Testing

/// Tests of a daemon that serves while its standard streams can't be written.
@Suite(.waiting) struct LostLogTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory("lost-log") }

    /// Each way in which an operator or a disk can take the streams of a daemon away, with the
    /// least number of lines that are lost of ``requestCount`` requests.
    static let redirections = [
        ("2>/dev/full", requestCount), (">/dev/full 2>&1", requestCount), ("2>&-", requestCount),
        (">&- 2>&-", requestCount), ("<&- >&- 2>&-", requestCount), ("2>&1 | true", 1),
        // A reader that reads nothing: the pipe is full after some lines.
        ("2>&1 | sleep 60", 1),
    ]

    /// A hundred lines of a KB fill a pipe, and more than the first fail.
    private static let requestCount = 600

    @Test(arguments: redirections)
    func `a line that can't be written is counted and ends no daemon`(
        _ redirection: String, _ least: Int
    ) throws {
        let portFile = folder.file("port")
        let metricsPort = try FreePort.find()
        let program = try BuiltProducts.executable("anabranchd").path
        let command =
            "exec '\(program)' serve --store 'sqlite:\(folder.file("zones"))' "
            + "--listen 127.0.0.1:0 --port-file '\(portFile)' "
            + "--metrics-listen 127.0.0.1:\(metricsPort)"
        // The shell of a pipe does not end with the daemon, so the daemon writes its number.
        let number = folder.file("number")
        let shell = try ChildProcess(
            URL(filePath: "/bin/sh"),
            [
                "-c",
                "sh -c 'echo $$ >\(number); \(command.replacing("'", with: "\""))' \(redirection)",
            ])
        let port = try #require(waitForNumber(in: portFile))
        let daemon = try #require(waitForNumber(in: number))
        defer { kill(Int32(daemon), SIGKILL) }
        for _ in 0..<Self.requestCount {
            let client = try LoopbackClient(port: port)
            client.get("/v1/" + String(repeating: "a", count: 150))
            #expect(client.statusLine() == "HTTP/1.1 404 Not Found")
        }
        #expect(kill(Int32(daemon), 0) == 0)
        #expect(try lostLines(metricsPort, atLeast: least) >= least)
        kill(Int32(daemon), SIGTERM)
        let deadline = ContinuousClock.now + .seconds(30)
        while kill(Int32(daemon), 0) == 0, ContinuousClock.now < deadline { usleep(20_000) }
        #expect(!FileManager.default.fileExists(atPath: "/proc/\(daemon)"))
        shell.kill()
    }

    @Test func `a line after one that was cut begins anew`() throws {
        let pipe = Pipe()
        let reader = pipe.fileHandleForReading
        let portFile = folder.file("port")
        let daemon = Process()
        daemon.executableURL = try BuiltProducts.executable("anabranchd")
        daemon.arguments = [
            "serve", "--store", "sqlite:\(folder.file("zones"))", "--listen", "127.0.0.1:0",
            "--port-file", portFile,
        ]
        daemon.standardOutput = FileHandle.nullDevice
        daemon.standardError = pipe
        try daemon.run()
        defer { daemon.terminate() }
        let port = try #require(waitForNumber(in: portFile))
        // Each line takes three pieces, so the pipe is full within one.
        for _ in 0..<12 { try ask(for: String(repeating: "a", count: 9000), port) }
        _ = reader.availableData
        try ask(for: "b", port)
        var text = ""
        while !text.contains("/v1/b\"") {
            text += String(decoding: reader.availableData, as: UTF8.self)
        }
        let lines = text.split(separator: "\n").filter { $0.contains("/v1/b\"") }
        #expect(lines.count == 1)
        #expect(lines.allSatisfy { $0.hasPrefix("{") && !$0.contains("aaaa") })
    }

    private func ask(for name: String, _ port: Int) throws {
        let client = try LoopbackClient(port: port)
        client.get("/v1/" + name)
        #expect(client.statusLine() == "HTTP/1.1 404 Not Found")
    }

    /// The lost lines that a daemon's metrics show, once there are so many: a line is written after
    /// the answer.
    private func lostLines(_ port: Int, atLeast least: Int) throws -> Int {
        var count = 0
        for _ in 0..<1500 {
            let client = try LoopbackClient(port: port)
            client.get("/metrics")
            let name = "anabranch_log_lost_lines_total "
            let line = String(decoding: client.body(), as: UTF8.self).split(separator: "\n")
                .first { $0.hasPrefix(name) }
            count = try #require(line.flatMap { Int($0.dropFirst(name.count)) })
            if count >= least { break }
            usleep(20_000)
        }
        return count
    }

    private func waitForNumber(in file: String) -> Int? {
        for _ in 0..<1500 {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            if let number = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) {
                return number
            }
            usleep(20_000)
        }
        return nil
    }
}
