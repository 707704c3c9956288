/// Why bytes from a network or a file are not what they should be, and where.
///
/// Nothing has been stored; ask the sender for the bytes again. Bytes that stay refused were
/// damaged at their source or come from a later version.
public struct ChangeSetDecodingError: Error, Hashable, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The bytes end early: ask for them again.
        public static let truncated = Code(rawValue: "truncated")
        /// The bytes break the format: ask for them again, then report the sender.
        public static let malformed = Code(rawValue: "malformed")
        /// A number is outside ``Limits``.
        public static let limitExceeded = Code(rawValue: "limit-exceeded")
        /// The version of the format is later than this program's: update it.
        public static let unsupportedVersion = Code(rawValue: "unsupported-version")
        /// The bytes are not those that their digest or origin names: ask for them again.
        public static let digestMismatch = Code(rawValue: "digest-mismatch")
        /// What is asked for is in the parts of a save, which are kept apart: read it from there.
        public static let inParts = Code(rawValue: "in-parts")
    }

    public let code: Code
    /// Of the first byte that could not be read.
    public let offset: Int
    public let cause: String

    public init(code: Code, offset: Int, cause: String) {
        self.code = code
        self.offset = offset
        self.cause = cause
    }
}

extension ChangeSetDecodingError: CustomStringConvertible {
    public var description: String {
        "Can't decode the bytes because \(cause) at offset \(offset) (\(code.rawValue))."
    }
}
