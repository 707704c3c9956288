internal import AnabranchReplication

/// The last bytes of a message: the beginning of the digest of all before them.
///
/// What is damaged on the way must be noticed before it is believed: a position or a cursor that
/// differs by one bit would be kept by the client, and no digest of a change set covers it.
package enum MessageSeal {
    /// Of 2^32 damaged messages one is taken for whole; more bytes would cost every poll.
    package static let byteCount = 4

    package static func sealing(_ bytes: [UInt8]) -> [UInt8] { bytes + seal(of: bytes) }

    /// - Parameters:
    ///   - body: The message without its last bytes.
    ///   - message: With them.
    static func isWhole(_ body: [UInt8], sealedBy message: [UInt8]) -> Bool {
        message.suffix(byteCount).elementsEqual(seal(of: body))
    }

    private static func seal(of bytes: [UInt8]) -> [UInt8] {
        Array(Digest(of: bytes).bytes.prefix(byteCount))
    }
}
