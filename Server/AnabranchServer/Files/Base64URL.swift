import CSodium

/// The encoding of binary values in secrets and in JSON Web Tokens, without padding.
///
/// Source: RFC 7515, section 2.
enum Base64URL {
    /// Decodes a text; `nil` if any character or bit of it is malformed.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let text = String(text)
        var bytes = [UInt8](repeating: 0, count: text.utf8.count / 4 * 3 + 3)
        var count = 0
        let status = sodium_base642bin(
            &bytes, bytes.count, text, text.utf8.count, nil, &count, nil,
            Int32(sodium_base64_VARIANT_URLSAFE_NO_PADDING))
        return status == 0 ? Array(bytes.prefix(count)) : nil
    }
}
