import CGnuTLS

/// A certificate chain and its key in the form that a handshake takes.
final class TLSKeyPair: @unchecked Sendable {
    // GnuTLS only reads these after `init`.
    private let chain: UnsafeMutablePointer<gnutls_pcert_st>
    private let count: UInt32
    private let key: gnutls_privkey_t

    private static let longestChain: UInt32 = 16

    /// Reads a chain and its key in PEM.
    ///
    /// - Throws: ``HTTPServerError`` with the reason.
    init(certificate: String, key text: String) throws {
        var key: gnutls_privkey_t?
        gnutls_privkey_init(&key)
        let keyStatus = Self.withDatum(text) {
            gnutls_privkey_import_x509_raw(key, $0, GNUTLS_X509_FMT_PEM, nil, 0)
        }
        guard keyStatus >= 0, let key else {
            gnutls_privkey_deinit(key)
            throw Self.error("the private key", keyStatus)
        }
        let chain = UnsafeMutablePointer<gnutls_pcert_st>.allocate(
            capacity: Int(Self.longestChain))
        var count = Self.longestChain
        let status = Self.withDatum(certificate) {
            gnutls_pcert_list_import_x509_raw(chain, &count, $0, GNUTLS_X509_FMT_PEM, 0)
        }
        guard status >= 0 else {
            gnutls_privkey_deinit(key)
            chain.deallocate()
            throw Self.error("the certificate chain", status)
        }
        (self.chain, self.count, self.key) = (chain, count, key)
    }

    deinit {
        for index in 0..<Int(count) { gnutls_pcert_deinit(chain + index) }
        chain.deallocate()
        gnutls_privkey_deinit(key)
    }

    /// Gives the pair to a handshake, which does not keep it alive.
    func give(
        _ chain: UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>,
        _ count: UnsafeMutablePointer<UInt32>, _ key: UnsafeMutablePointer<gnutls_privkey_t?>
    ) {
        chain.pointee = self.chain
        count.pointee = self.count
        key.pointee = self.key
    }

    private static func withDatum(
        _ text: String, _ body: (UnsafePointer<gnutls_datum_t>) -> Int32
    ) -> Int32 {
        var bytes = Array(text.utf8)
        return bytes.withUnsafeMutableBufferPointer { buffer in
            var datum = gnutls_datum_t(data: buffer.baseAddress, size: UInt32(buffer.count))
            return body(&datum)
        }
    }

    private static func error(_ what: String, _ status: Int32) -> HTTPServerError {
        HTTPServerError(
            "Can't use \(what) because \(String(cString: gnutls_strerror(status))).")
    }
}
