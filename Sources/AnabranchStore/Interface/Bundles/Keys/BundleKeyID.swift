import AnabranchReplication

/// The ID of a key: a digest of the key and of its creation time, which reveals nothing about the
/// key.
///
/// A sealed bundle names in plain text the key that opens it, and a key ring names each of its
/// keys. So a key or a date that was altered in transit is detected before anything is sealed with
/// it.
public struct BundleKeyID: Hashable, Sendable {
    static let byteCount = 16

    package let bytes: [UInt8]

    /// Creates an ID from its bytes.
    ///
    /// - Parameter bytes: Exactly 16 bytes; any other count gives `nil`.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// Parses an ID.
    ///
    /// - Parameter text: 32 lower-case hexadecimal digits; anything else gives `nil`.
    public init?(_ text: String) { self.init(hexadecimal: text.utf8) }

    init?(hexadecimal digits: some Collection<UInt8>) {
        let isLowerCase = !digits.contains { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }
        guard isLowerCase,
            let bytes = [UInt8](hexadecimal: String(decoding: digits, as: UTF8.self))
        else { return nil }
        self.init(bytes: bytes)
    }

    /// Orders keys that were created in the same second, by the bytes of their IDs.
    static func isBefore(_ left: BundleKeyID, _ right: BundleKeyID) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension BundleKeyID: CustomStringConvertible {
    /// The ID as 32 lower-case hexadecimal digits.
    public var description: String { bytes.hexadecimal }
}
