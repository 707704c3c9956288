#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension SyncOptions {
    /// The file of trusted certificate authorities; `nil` trusts those of the system.
    var effectiveCertificateAuthorities: String? {
        let environment = ProcessInfo.processInfo.environment
        return [
            certificateAuthorities, environment["SSL_CERT_FILE"], environment["CURL_CA_BUNDLE"],
        ].compactMap(\.self).first { !$0.isEmpty }
    }

    /// The files of the given certificates by their absolute paths, for a store to keep.
    var keptFiles: CertificateFiles {
        CertificateFiles(
            authorities: certificateAuthorities.map { URL(fileURLWithPath: $0).path },
            client: clientCertificate?.kept)
    }
}
