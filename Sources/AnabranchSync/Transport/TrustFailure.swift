internal import CCurl

/// The reason why the certificate of a server is not trusted.
enum TrustFailure: String, Sendable {
    case unknownIssuer = "unknown-issuer"
    case selfSigned = "self-signed"
    case expired
    case notYetValid = "not-yet-valid"
    case wrongHost = "wrong-host"
    case otherKey = "other-key"
    case unusableAuthorities = "unusable-authorities"
    case other

    /// Finds the reason for a transfer that failed.
    ///
    /// - Parameter verification: The result of OpenSSL's verification (`X509_V_…`).
    /// - Returns: `nil` if the transfer failed for a reason other than trust.
    init?(_ code: CURLcode, verification: Int) {
        switch code {
        case CURLE_SSL_CACERT_BADFILE: self = .unusableAuthorities
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: self = .otherKey
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR:
            switch verification {
            // OpenSSL has accepted the chain. libcurl then compares the host's name, and says 1
            // (unspecified) until it has.
            case 0, 1, 62, 64: self = .wrongHost
            case 2, 20, 21: self = .unknownIssuer
            case 9: self = .notYetValid
            case 10: self = .expired
            case 18, 19: self = .selfSigned
            default: self = .other
            }
        default: return nil
        }
    }

    /// The end of a sentence that begins with "because".
    private func cause(_ description: String, authorities: String?) -> String {
        switch self {
        case .unknownIssuer: "no trusted authority has issued its certificate"
        case .selfSigned:
            "its certificate, or that of its issuer, is signed by itself and not trusted"
        case .expired: "its certificate has expired"
        case .notYetValid: "its certificate is not valid yet, or this machine's clock is wrong"
        case .wrongHost: "its certificate is for another host"
        case .otherKey: "its public key is none of the pinned ones"
        case .unusableAuthorities:
            "the certificate authorities in \(authorities ?? "the system's file") can't be read: "
                + "the file is missing, or has no certificate in the form PEM"
        case .other: "its certificate was not accepted: \(description)"
        }
    }

    /// True if the certificate says more about the reason.
    private var isOfCertificate: Bool { self != .unusableAuthorities }

    /// Creates the error for a server.
    ///
    /// - Parameters:
    ///   - description: The TLS library's words for the failure.
    ///   - authorities: The file with the authorities that are trusted, if it is not the system's.
    func error(url: String, description: String, authorities: String?) -> SyncError {
        var details = ["server": url, "reason": rawValue]
        var message =
            "Can't trust \(url) because \(cause(description, authorities: authorities))."
        if isOfCertificate, let certificate = ServerCertificate(of: url) {
            message +=
                " The certificate of \(certificate.subject), issued by \(certificate.issuer), is "
                + "valid from \(certificate.validFrom) until \(certificate.validUntil)."
            details["subject"] = certificate.subject
            details["issuer"] = certificate.issuer
            details["validFrom"] = certificate.validFrom
            details["validUntil"] = certificate.validUntil
        }
        return SyncError(.untrustedServer, message, details: details)
    }
}
