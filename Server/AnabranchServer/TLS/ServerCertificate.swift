import CGnuTLS
public import Foundation

/// The certificate and the private key of a server, checked before it listens.
public struct ServerCertificate: Hashable, Sendable {
    /// The certificate chain in PEM.
    public let chain: String
    /// The private key in PEM.
    public let key: String
    /// The subject and the issuer of the server's own certificate, as distinguished names.
    public let subject: String
    /// The name of the authority that issued it.
    public let issuer: String
    /// The end of its validity.
    public let end: Date

    /// Reads and checks a certificate chain and its key.
    ///
    /// - Parameters:
    ///   - certificateFile: The path of the chain in PEM, the server's own certificate first.
    ///   - keyFile: The path of the private key in PEM.
    ///   - now: The time at which the certificate must be valid.
    ///
    /// - Throws: ``HTTPServerError`` with the file, the reason and what to change.
    public init(certificateFile: String, keyFile: String, now: Date = Date()) throws {
        chain = try Self.text(of: certificateFile)
        key = try Self.text(of: keyFile)
        let certificate = try Self.ownCertificate(in: chain, file: certificateFile, keyFile)
        defer { gnutls_x509_crt_deinit(certificate) }
        let privateKey = try Self.privateKey(in: key, file: keyFile)
        defer { gnutls_x509_privkey_deinit(privateKey) }
        subject = Self.name { gnutls_x509_crt_get_dn3(certificate, $0, 0) }
        issuer = Self.name { gnutls_x509_crt_get_issuer_dn3(certificate, $0, 0) }
        end = Date(
            timeIntervalSince1970: Double(gnutls_x509_crt_get_expiration_time(certificate)))
        let start = Date(
            timeIntervalSince1970: Double(gnutls_x509_crt_get_activation_time(certificate)))
        let shown = "the certificate \(certificateFile) of \(subject), issued by \(issuer),"
        let keyIDs = (
            Self.keyID { gnutls_x509_crt_get_key_id(certificate, 0, $0, $1) },
            Self.keyID { gnutls_x509_privkey_get_key_id(privateKey, 0, $0, $1) }
        )
        guard keyIDs.0 == keyIDs.1 else {
            throw HTTPServerError(
                "Can't use \(shown) because the key \(keyFile) belongs to another certificate.")
        }
        guard start <= now else {
            throw HTTPServerError(
                "Can't use \(shown) because it is valid only from \(Self.day(start)): check the "
                    + "clock, or wait.")
        }
        guard end > now else {
            throw HTTPServerError(
                "Can't use \(shown) because it has expired on \(Self.day(end)): renew it.")
        }
    }

    /// Reads the authorities of the certificates that are accepted.
    ///
    /// - Returns: The certificates in PEM.
    ///
    /// - Throws: ``HTTPServerError`` with the file and the reason.
    public static func authorities(inFile file: String) throws -> String {
        let text = try text(of: file)
        gnutls_x509_crt_deinit(try ownCertificate(in: text, file: file, "its key"))
        return text
    }

    /// A warning if the certificate ends within 14 days.
    public func warning(now: Date = Date()) -> String? {
        guard end.timeIntervalSince(now) < 14 * 86_400 else { return nil }
        return "the TLS certificate of \(subject) expires on \(Self.day(end)): renew it"
    }

    private static func day(_ date: Date) -> String { date.formatted(.iso8601) }

    // MARK: Reading

    private static func text(of file: String) throws -> String {
        do {
            return try String(contentsOfFile: file, encoding: .utf8)
        } catch {
            let cause = access(file, R_OK) == 0 ? "it is no text" : String(cString: strerror(errno))
            throw HTTPServerError("Can't read \(file) because \(cause).")
        }
    }

    private static func isKey(_ text: String) -> Bool { text.contains("PRIVATE KEY-----") }

    /// The first certificate of a chain, which the caller frees.
    private static func ownCertificate(
        in text: String, file: String, _ keyFile: String
    ) throws -> gnutls_x509_crt_t {
        guard text.contains("BEGIN CERTIFICATE") || text.contains("BEGIN X509 CERTIFICATE") else {
            let advice =
                isKey(text)
                ? "it has a private key: are \(file) and \(keyFile) exchanged?"
                : "it has none in PEM."
            throw HTTPServerError("Can't find a certificate in \(file): \(advice)")
        }
        var list: UnsafeMutablePointer<gnutls_x509_crt_t?>?
        var count: UInt32 = 0
        let status = withDatum(text) {
            gnutls_x509_crt_list_import2(&list, &count, $0, GNUTLS_X509_FMT_PEM, 0)
        }
        defer { cgnutls_free(list) }
        guard status >= 0, let list, count > 0, let own = list[0] else {
            throw HTTPServerError(
                "Can't read the certificate \(file) because \(message(status)).")
        }
        for index in 1..<max(Int(count), 1) { gnutls_x509_crt_deinit(list[index]) }
        return own
    }

    private static func privateKey(in text: String, file: String) throws -> gnutls_x509_privkey_t {
        guard isKey(text) else {
            throw HTTPServerError("Can't find a private key in \(file): it has none in PEM.")
        }
        var key: gnutls_x509_privkey_t?
        gnutls_x509_privkey_init(&key)
        let status = withDatum(text) {
            gnutls_x509_privkey_import2(key, $0, GNUTLS_X509_FMT_PEM, nil, 0)
        }
        guard status >= 0, let key else {
            gnutls_x509_privkey_deinit(key)
            let cause =
                text.contains("ENCRYPTED") ? "a password protects it: remove it" : message(status)
            throw HTTPServerError("Can't read the private key \(file) because \(cause).")
        }
        return key
    }

    private static func message(_ status: Int32) -> String {
        String(cString: gnutls_strerror(status)).oneLine
    }

    private static func withDatum(_ text: String, _ body: (UnsafePointer<gnutls_datum_t>) -> Int32)
        -> Int32
    {
        var bytes = Array(text.utf8)
        return bytes.withUnsafeMutableBufferPointer { buffer in
            var datum = gnutls_datum_t(data: buffer.baseAddress, size: UInt32(buffer.count))
            return body(&datum)
        }
    }

    private static func name(_ read: (UnsafeMutablePointer<gnutls_datum_t>) -> Int32) -> String {
        var datum = gnutls_datum_t()
        guard read(&datum) >= 0, let start = datum.data else { return "an unknown subject" }
        defer { cgnutls_free(start) }
        return String(
            decoding: UnsafeBufferPointer(start: start, count: Int(datum.size)), as: UTF8.self)
    }

    private static func keyID(
        _ read: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int>) -> Int32
    ) -> [UInt8]? {
        var id = [UInt8](repeating: 0, count: 64)
        var count = id.count
        return read(&id, &count) >= 0 ? Array(id.prefix(count)) : nil
    }
}
