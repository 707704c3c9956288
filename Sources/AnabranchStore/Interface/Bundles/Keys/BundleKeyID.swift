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
        guard digits.count == 2 * Self.byteCount else { return nil }
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            guard let value = Self.value(of: digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        self.bytes = bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// Orders keys that were created in the same second, by the bytes of their IDs.
    static func isBefore(_ left: BundleKeyID, _ right: BundleKeyID) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension BundleKeyID: CustomStringConvertible {
    /// The ID as 32 lower-case hexadecimal digits.
    public var description: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }
}
