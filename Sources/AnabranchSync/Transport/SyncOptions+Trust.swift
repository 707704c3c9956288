#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension SyncOptions {
    /// The file of trusted certificate authorities; `nil` trusts those of the system.
    var effectiveCertificateAuthorities: String? {
        guard let own = certificateAuthorities, !own.isEmpty else {
            return Self.authoritiesOfEnvironment
        }
        return own
    }

    /// The file that the environment names, read once: each request asks for it, and `ProcessInfo`
    /// copies the whole environment.
    private static let authoritiesOfEnvironment: String? = {
        let environment = ProcessInfo.processInfo.environment
        return ["SSL_CERT_FILE", "CURL_CA_BUNDLE"].lazy
            .compactMap { environment[$0] }.first { !$0.isEmpty }
    }()

    /// The files of the given certificates by their absolute paths, for a store to keep.
    var keptFiles: CertificateFiles {
        CertificateFiles(
            authorities: certificateAuthorities.map { URL(fileURLWithPath: $0).path },
            client: clientCertificate?.kept)
    }
}
