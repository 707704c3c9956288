/// Why a zone rejected a save for good: asking again would not mend it.
public struct Rejection: Hashable, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It uses a merge rule or an operation that the zone does not know.
        public static let unsupportedRule = Code(rawValue: "unsupported-rule")
        /// Its bytes are whole, and say what no change set may: report a bug.
        public static let malformed = Code(rawValue: "malformed")
        /// It is larger than the zone takes.
        public static let tooLarge = Code(rawValue: "too-large")
        /// Its author may not do what it does.
        public static let notAllowed = Code(rawValue: "not-allowed")
        /// It would take more room than there is for its author.
        public static let quotaExceeded = Code(rawValue: "quota-exceeded")
        /// A rule of the server's operator forbids it.
        public static let validationFailed = Code(rawValue: "validation-failed")
    }

    public let code: Code
    /// For people, in the words of the server.
    public let reason: String

    /// Bytes of UTF-8 that a reason may have.
    public static let longestReason = 4096

    /// - Parameters:
    ///   - code: At most ``Limits/longestName`` bytes of UTF-8; what is longer is cut.
    ///   - reason: What is longer than ``longestReason`` is cut.
    public init(_ code: Code, _ reason: String) {
        self.code = Code(rawValue: code.rawValue.cut(toByteCount: Limits.longestName))
        self.reason = reason.cut(toByteCount: Self.longestReason)
    }
}

// MARK: - The payload of a void

extension Rejection {
    /// - Parameter digest: Of the rejected set, which its origin covers.
    func encoded(of digest: Digest) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(digest: digest)
        writer.append(string: code.rawValue)
        writer.append(string: reason)
        return writer.bytes
    }

    static func decode(
        _ payload: [UInt8]
    ) throws(ChangeSetDecodingError) -> (digest: Digest, rejection: Rejection) {
        var reader = ByteReader(payload)
        let digest = try reader.readDigest()
        let code = try reader.readName()
        let reason = try reader.readString()
        guard reason.utf8.count <= longestReason else {
            throw reader.failure(.limitExceeded, "a reason is longer than \(longestReason) bytes")
        }
        try reader.expectEnd()
        return (digest, Rejection(Code(rawValue: code), reason))
    }
}

extension String {
    /// The longest beginning of whole characters that takes no more bytes.
    fileprivate func cut(toByteCount limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var kept = ""
        var byteCount = 0
        for character in self {
            byteCount += character.utf8.count
            guard byteCount <= limit else { break }
            kept.append(character)
        }
        return kept
    }
}

extension Rejection: CustomStringConvertible {
    public var description: String { "\(reason) (\(code.rawValue))" }
}
