import Foundation
import TestSupport
import Testing

/// Tests of the certificate and the key with which a daemon starts.
@Suite(
    .waiting, .enabled(if: TestCertificates.canBeMade, "OpenSSL's program makes the certificates"))
struct CertificateTests {
    private let directory: TemporaryDirectory
    private let certificates: TestCertificates

    init() throws {
        directory = try TemporaryDirectory("certificates")
        certificates = try TestCertificates()
    }

    /// Issues a certificate and copies it and its key under a name.
    private func issue(_ name: String, days: Int = 30) throws -> (certificate: String, key: String)
    {
        let issued = try certificates.issue(days: days)
        let files = (directory.file("\(name).pem"), directory.file("\(name).key"))
        try Data(issued.certificate.utf8).write(to: URL(filePath: files.0))
        try Data(issued.key.utf8).write(to: URL(filePath: files.1))
        return files
    }

    private func arguments(_ certificate: String, _ key: String) -> [String] {
        [
            "serve", "--store", "sqlite:\(directory.file("store"))", "--listen", "127.0.0.1:0",
            "--tls-certificate", certificate, "--tls-key", key,
        ]
    }

    /// Runs a daemon that must refuse to start.
    ///
    /// - Returns: Its message.
    private func refusal(_ certificate: String, _ key: String) throws -> String {
        let run = try RunningProcess.run(
            "anabranchd", arguments(certificate, key), scratch: directory.url)
        #expect(run.status == 1)
        #expect(run.output == "")
        return run.errors
    }

    /// Starts a daemon, stops it when it listens, and returns its log.
    private func log(_ certificate: String, _ key: String) throws -> String {
        let daemon = try RunningProcess(
            "anabranchd", arguments(certificate, key), scratch: directory.url)
        for _ in 0..<6_000 where !daemon.printed.hasSuffix("\n") { usleep(10_000) }
        #expect(daemon.printed.contains("https://"))
        daemon.send(SIGTERM)
        let outcome = try daemon.wait()
        #expect(outcome.status == 0)
        return outcome.errors
    }

    @Test func `a key that belongs to another certificate is refused`() throws {
        let (certificate, _) = try issue("a")
        let (_, key) = try issue("b")
        let message = try refusal(certificate, key)
        #expect(message.contains("CN=Our server, issued by CN=Our CA"))
        #expect(message.contains("because the key \(key) belongs to another certificate."))
    }

    @Test func `a certificate and a key that are exchanged are recognized`() throws {
        let (certificate, key) = try issue("a")
        let message = try refusal(key, certificate)
        #expect(
            message == "anabranchd: Can't find a certificate in \(key): it has a private key: are "
                + "\(key) and \(certificate) exchanged?\n")
    }

    @Test func `an expired certificate is refused with its end`() throws {
        let (certificate, key) = try issue("a", days: -1)
        let message = try refusal(certificate, key)
        #expect(message.contains("because it has expired on 20"))
        #expect(message.contains("renew it."))
    }

    @Test func `files that are missing or no PEM are named`() throws {
        let (certificate, key) = try issue("a")
        let missing = directory.file("missing")
        #expect(
            try refusal(missing, key)
                == "anabranchd: Can't read \(missing) because No such file or directory.\n")
        let text = directory.file("text")
        try Data("nothing".utf8).write(to: URL(filePath: text))
        #expect(try refusal(text, key).contains("Can't find a certificate in \(text)"))
        #expect(try refusal(certificate, text).contains("Can't find a private key in \(text)"))
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        try Data(broken.utf8).write(to: URL(filePath: text))
        #expect(try refusal(text, key).contains("Can't read the certificate \(text) because"))
    }

    @Test func `a warning comes within 14 days of the end, and not before`() throws {
        let (certificate, key) = try issue("a", days: 10)
        #expect(try log(certificate, key).contains("the TLS certificate of CN=Our server expires"))
        let (longer, longerKey) = try issue("b", days: 20)
        #expect(try !log(longer, longerKey).contains("expires"))
    }
}
