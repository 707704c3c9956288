/// The reason why a zone rejected a save for good. Pushing the save again can't succeed.
public struct SaveRejection: Hashable, Sendable {
    /// A code that programs may act on.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code as it is stored and sent.
        public let rawValue: String
        /// Creates a code from its text, which may be unknown to this version.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The save uses a merge rule or an operation that the zone does not know. Update the
        /// server.
        public static let unsupportedRule = Code(rawValue: "unsupported-rule")
        /// The save is undamaged but breaks the rules of change sets. Report a bug.
        public static let malformed = Code(rawValue: "malformed")
        /// The save is larger than the zone accepts.
        public static let tooLarge = Code(rawValue: "too-large")
        /// The author has no right to make this change.
        public static let notAllowed = Code(rawValue: "not-allowed")
        /// The save would exceed the author's quota.
        public static let quotaExceeded = Code(rawValue: "quota-exceeded")
        /// A rule of the server's operator forbids the save.
        public static let validationFailed = Code(rawValue: "validation-failed")
    }

    /// The code that programs may act on.
    public let code: Code
    /// The reason for people, in the words of the server.
    public let reason: String

    /// The greatest length of a reason, in bytes of UTF-8.
    package static let longestReason = 4096

    /// Creates a rejection. Texts that are too long are cut between characters.
    ///
    /// - Parameters:
    ///   - code: A code of at most ``Limits/longestName`` bytes of UTF-8.
    ///   - reason: A text of at most ``longestReason`` bytes of UTF-8.
    package init(_ code: Code, _ reason: String) {
        self.code = Code(rawValue: code.rawValue.cut(toByteCount: Limits.longestName))
        self.reason = reason.cut(toByteCount: Self.longestReason)
    }
}

// MARK: - The payload of a void

extension SaveRejection {
    /// Encodes the payload of a void.
    ///
    /// - Parameter digest: The digest of the rejected save. A reader checks the void's origin with
    ///   it, unless the save was renamed or restamped before.
    func encoded(of digest: Digest) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(digest: digest)
        writer.append(string: code.rawValue)
        writer.append(string: reason)
        return writer.bytes
    }

    static func decode(
        _ payload: [UInt8]
    ) throws(ChangeSetDecodingError) -> (digest: Digest, rejection: SaveRejection) {
        var reader = ByteReader(payload)
        let digest = try reader.readDigest()
        let code = try reader.readName()
        let reason = try reader.readString()
        guard reason.utf8.count <= longestReason else {
            throw reader.failure(.limitExceeded, "a reason is longer than \(longestReason) bytes")
        }
        try reader.expectEnd()
        return (digest, SaveRejection(Code(rawValue: code), reason))
    }
}

extension String {
    /// The longest prefix of whole characters that has at most this many bytes of UTF-8.
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

extension SaveRejection: CustomStringConvertible {
    /// The reason, followed by the code in parentheses.
    public var description: String { "\(reason) (\(code.rawValue))" }
}
