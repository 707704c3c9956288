/// The name of a zone: what is shared, ordered and counted as one.
///
/// Safe as a file name and in a URL as it is: 1 to 64 of `a–z`, `0–9`, `-` and `_`, beginning with
/// a letter or a digit.
public struct ZoneName: Hashable, Sendable {
    public let string: String

    public static let longest = 64

    /// - Throws: `malformedRequest` that says what a name may be.
    public init(_ string: String) throws(ProtocolError) {
        guard Self.isValid(string) else {
            throw ProtocolError(
                .malformedRequest,
                "Can't use \"\(string.prefix(80))\" as a zone's name: take 1 to \(Self.longest) "
                    + "of a–z, 0–9, - and _, beginning with a letter or a digit.",
                details: ["field": "zone"])
        }
        self.string = string
    }

    private static func isValid(_ string: String) -> Bool {
        let bytes = string.utf8
        guard (1...longest).contains(bytes.count) else { return false }
        guard let first = bytes.first, isLetterOrDigit(first) else { return false }
        return bytes.allSatisfy {
            isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension ZoneName: CustomStringConvertible {
    public var description: String { string }
}
