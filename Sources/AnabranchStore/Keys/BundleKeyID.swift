/// The name of a key, which says nothing of the key: a digest of it and of when it was made.
///
/// A sealed bundle says in the clear which key opens it, and a key ring names each of its keys, so
/// that a key or a date that was changed on its way is noticed before it seals anything.
public struct BundleKeyID: Hashable, Sendable {
    static let byteCount = 16

    package let bytes: [UInt8]

    /// - Parameter bytes: Exactly 16; any other count gives `nil`.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

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

    /// Keys of one second stand in the order of their bytes.
    static func isBefore(_ left: BundleKeyID, _ right: BundleKeyID) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension BundleKeyID: CustomStringConvertible {
    /// 32 lower-case hexadecimal digits.
    public var description: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }
}
