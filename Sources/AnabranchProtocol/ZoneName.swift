/// The name of a zone, which is the unit of sharing and ordering on a server.
///
/// The name can be a file name and part of a URL without escaping. It has 1 to 64 characters of
/// `a–z`, `0–9`, `-` and `_`, and begins with a letter or a digit.
public struct ZoneName: Hashable, Sendable {
    /// The name as text.
    public let string: String

    /// The greatest length of a name.
    public static let longest = 64

    /// Creates a name from text.
    ///
    /// - Throws: ``ProtocolError`` with code `malformedRequest` if the text is not a valid name.
    ///   The message says which names are valid.
    public init(_ string: String) throws(ProtocolError) {
        guard Self.isValid(string) else {
            throw ProtocolError(
                .malformedRequest,
                "Can't use \"\(string.prefix(80))\" as a zone's name because a name has 1 to "
                    + "\(Self.longest) characters of a–z, 0–9, - and _, and begins with a letter "
                    + "or a digit.",
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
    /// The name as text.
    public var description: String { string }
}
