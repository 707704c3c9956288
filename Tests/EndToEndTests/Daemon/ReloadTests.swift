import Foundation
import TestSupport
import Testing

/// Tests of SIGHUP, which makes a daemon read its configuration again.
@Suite(
    .waiting, .enabled(if: TestCertificates.canBeMade, "OpenSSL's program makes the certificates"))
struct ReloadTests {
    private let directory: TemporaryDirectory
    private let certificates: TestCertificates

    init() throws {
        directory = try TemporaryDirectory("reload")
        certificates = try TestCertificates()
    }

    private var file: String { directory.file("anabranchd.conf") }

    private func configure(level: String) throws {
        let text = """
            store = sqlite:\(directory.file("store"))
            listen = 127.0.0.1:0
            port-file = \(directory.file("port"))
            log-level = \(level)
            [tls]
            certificate = \(directory.file("server.pem"))
            key = \(directory.file("server.key"))

            """
        try Data(text.utf8).write(to: URL(filePath: file))
    }

    private func issue() throws {
        let issued = try certificates.issue()
        try Data(issued.certificate.utf8).write(to: URL(filePath: directory.file("server.pem")))
        try Data(issued.key.utf8).write(to: URL(filePath: directory.file("server.key")))
    }

    private func start() throws -> RunningProcess {
        let daemon = try RunningProcess(
            "anabranchd", ["serve", "--config", file], scratch: directory.url)
        for _ in 0..<6_000 where !daemon.printed.hasSuffix("\n") { usleep(10_000) }
        return daemon
    }

    private func waitFor(_ text: String, in daemon: RunningProcess) throws {
        for _ in 0..<6_000 {
            if daemon.complained.contains(text) { return }
            usleep(10_000)
        }
        Issue.record("the log has no \"\(text)\": \(daemon.complained)")
    }

    /// The certificate that the daemon shows now.
    private func shownCertificate() throws -> String {
        let port = try String(contentsOfFile: directory.file("port"), encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = ["s_client", "-connect", "127.0.0.1:\(port)"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    private func isShown(_ file: String) throws -> Bool {
        let certificate = try String(contentsOfFile: directory.file(file), encoding: .utf8)
        return try shownCertificate().contains(certificate)
    }

    @Test func `certificate and log level change while the daemon runs`() throws {
        try issue()
        try configure(level: "info")
        let daemon = try start()
        #expect(try isShown("server.pem"))
        try issue()
        #expect(try !isShown("server.pem"), "it is not read before the signal")
        daemon.send(SIGHUP)
        try waitFor("read the configuration again", in: daemon)
        #expect(try isShown("server.pem"))
        try configure(level: "error")
        daemon.send(SIGHUP)
        usleep(300_000)
        daemon.send(SIGTERM)
        let outcome = try daemon.wait()
        #expect(outcome.status == 0)
        #expect(!outcome.errors.contains("stopping on"), "a message of the level info")
    }

    @Test func `a wrong configuration leaves everything as it was`() throws {
        try issue()
        try configure(level: "info")
        let daemon = try start()
        try FileManager.default.copyItem(
            atPath: directory.file("server.pem"), toPath: directory.file("former.pem"))
        try issue()
        try configure(level: "loud")
        daemon.send(SIGHUP)
        try waitFor("kept the former configuration", in: daemon)
        #expect(try isShown("former.pem"))
        try configure(level: "info")
        try Data("nothing".utf8).write(to: URL(filePath: directory.file("server.pem")))
        daemon.send(SIGHUP)
        try waitFor("Can't find a certificate in", in: daemon)
        #expect(try isShown("former.pem"))
        daemon.send(SIGTERM)
        #expect(try daemon.wait().status == 0)
    }
}
