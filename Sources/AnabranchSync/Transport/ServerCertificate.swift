internal import CCurl

/// The certificate that a server shows, read without trusting it.
struct ServerCertificate: Sendable {
    let subject: String
    let issuer: String
    /// The dates from and until which the certificate is valid, as the TLS library writes them.
    let validFrom: String
    let validUntil: String

    /// The time in which the server must show its certificate.
    private static let milliseconds = 5000

    /// Makes a TLS connection to a server, and reads its certificate. No request is sent.
    ///
    /// - Returns: `nil` if the server shows none in time.
    init?(of url: String) {
        guard let easy = curl_easy_init() else { return nil }
        defer { curl_easy_cleanup(easy) }
        anabranch_curl_allow_http_only(easy)
        anabranch_curl_set_string(easy, CURLOPT_URL, url)
        anabranch_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        anabranch_curl_set_long(easy, CURLOPT_CONNECT_ONLY, 1)
        anabranch_curl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 0)
        anabranch_curl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 0)
        anabranch_curl_set_long(easy, CURLOPT_CERTINFO, 1)
        anabranch_curl_set_long(easy, CURLOPT_TIMEOUT_MS, Self.milliseconds)
        guard curl_easy_perform(easy) == CURLE_OK else { return nil }
        let fields = Self.fields(of: easy)
        guard let subject = fields["Subject"], let issuer = fields["Issuer"] else { return nil }
        self.subject = subject
        self.issuer = issuer
        validFrom = fields["Start date"] ?? ""
        validUntil = fields["Expire date"] ?? ""
    }

    /// The fields of the server's own certificate by their names.
    private static func fields(of easy: UnsafeMutableRawPointer) -> [String: String] {
        var fields: [String: String] = [:]
        var next = anabranch_curl_first_certificate(easy)
        while let item = next {
            let text = item.pointee.data.map { String(cString: $0) } ?? ""
            let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
            if parts.count == 2, fields[parts[0]] == nil { fields[parts[0]] = parts[1] }
            next = item.pointee.next
        }
        return fields
    }
}
