#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The certificate with which a client identifies itself to a server that asks for one.
public struct ClientCertificate: Hashable, Sendable {
    /// The path of the certificate, or of its chain, in PEM.
    public var certificateFile: String
    /// The path of the private key in PEM.
    public var keyFile: String

    /// Creates a certificate from the paths of its files, which are read for each connection.
    public init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }

    /// The certificate with absolute paths, for a store to keep.
    var kept: ClientCertificate {
        ClientCertificate(
            certificateFile: URL(fileURLWithPath: certificateFile).path,
            keyFile: URL(fileURLWithPath: keyFile).path)
    }
}

/// The files of certificates that an engine uses for a server.
struct CertificateFiles: Hashable, Sendable {
    /// The certificate authorities that are trusted.
    var authorities: String?
    var client: ClientCertificate?
}
