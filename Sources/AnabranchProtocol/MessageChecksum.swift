internal import AnabranchReplication

/// The last bytes of a message: the first bytes of the digest of all bytes before them.
///
/// Damage in transit must be noticed before the message is used. No digest of a change set covers a
/// position or a cursor, and a client would store a wrong one.
package enum MessageChecksum {
    /// The length of the seal. One in 2^32 damaged messages is mistaken for an undamaged one; more
    /// bytes would enlarge every poll.
    package static let byteCount = 4

    /// Returns the bytes with their seal behind them.
    package static func sealing(_ bytes: [UInt8]) -> [UInt8] { bytes + seal(of: Digest(of: bytes)) }

    /// Indicates whether a message is undamaged.
    ///
    /// - Parameters:
    ///   - body: The message without its seal.
    ///   - message: The message with its seal.
    static func isWhole(_ body: ArraySlice<UInt8>, sealedBy message: [UInt8]) -> Bool {
        message.suffix(byteCount).elementsEqual(seal(of: Digest(of: body)))
    }

    static func seal(of digest: Digest) -> ArraySlice<UInt8> { digest.bytes.prefix(byteCount) }
}
