import Foundation
import Testing

/// A certificate authority of its own, and certificates for servers that it has issued, made by
/// OpenSSL's program in a temporary folder.
package struct TestCertificates {
    private let directory: TemporaryDirectory

    private static let program = "/usr/bin/openssl"
    /// True if OpenSSL's program is installed.
    package static var canBeMade: Bool { FileManager.default.isExecutableFile(atPath: program) }

    /// The file with the authority's certificate.
    package var authority: String { directory.file("ca.pem") }

    /// Makes the authority.
    package init() throws {
        directory = try TemporaryDirectory("certificates")
        try run(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", file("ca.key"), "-out", authority, "-days", "30", "-subj", "/CN=Our CA")
    }

    private func file(_ name: String) -> String { directory.file(name) }

    private func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "openssl \(arguments)")
    }

    /// Issues a certificate for a server.
    ///
    /// - Parameter days: The days for which it is valid; a negative number for an expired one.
    package func issue(
        names: String = "IP:127.0.0.1", days: Int = 30
    ) throws -> (certificate: String, key: String) {
        try run(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", file("server.key"), "-out", file("server.csr"), "-subj", "/CN=Our server",
            "-addext", "subjectAltName=\(names)")
        try run(
            "x509", "-req", "-in", file("server.csr"), "-CA", authority, "-CAkey", file("ca.key"),
            "-CAcreateserial", "-days", "\(days)", "-copy_extensions", "copy", "-out",
            file("server.pem"))
        return (try text("server.pem"), try text("server.key"))
    }

    /// The files with the certificate and the key that were issued last.
    package var files: (certificate: String, key: String) {
        (file("server.pem"), file("server.key"))
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: file(name), encoding: .utf8)
    }

    /// The pin of the key of the last certificate that was issued.
    package func pin() throws -> String {
        try run(
            "pkey", "-in", file("server.key"), "-pubout", "-outform", "DER", "-out",
            file("key.der"))
        try run("dgst", "-sha256", "-binary", "-out", file("key.digest"), file("key.der"))
        let digest = try Data(contentsOf: URL(filePath: file("key.digest")))
        return "sha256//\(digest.base64EncodedString())"
    }
}
