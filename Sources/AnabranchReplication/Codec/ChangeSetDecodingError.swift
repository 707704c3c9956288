/// The reason why bytes from the network or a file can't be decoded, with their offset.
///
/// Nothing has been stored; ask the sender for the bytes again. If they fail again, they were
/// damaged at their source or come from a later version.
@usableFromInline package struct ChangeSetDecodingError: Error, Hashable, Sendable {
    /// A code that programs may act on.
    @usableFromInline package struct Code: RawRepresentable, Hashable, Sendable {
        @usableFromInline package let rawValue: String
        @usableFromInline package init(rawValue: String) { self.rawValue = rawValue }

        /// The bytes end too early. Ask for them again.
        @usableFromInline package static let truncated = Code(rawValue: "truncated")
        /// The bytes break the format. Ask for them again, then report the bug to the sender.
        @usableFromInline package static let malformed = Code(rawValue: "malformed")
        /// A number is outside ``Limits``. Report the bug to the sender.
        package static let limitExceeded = Code(rawValue: "limit-exceeded")
        /// The version of the format is later than this program. Update the program.
        package static let unsupportedVersion = Code(rawValue: "unsupported-version")
        /// The bytes do not have the digest or origin that names them. Ask for them again.
        package static let digestMismatch = Code(rawValue: "digest-mismatch")
        /// The reader has no memory for the values now. Read the bytes again later.
        package static let noRoom = Code(rawValue: "no-room")
        /// The changes are in the parts of a save, which are stored apart. Read them from there.
        package static let inParts = Code(rawValue: "in-parts")
    }

    /// The code that programs may act on.
    package let code: Code
    /// The offset of the first byte that could not be read.
    package let offset: Int
    /// The cause for people, as a clause without a full stop.
    package let cause: String

    @usableFromInline package init(code: Code, offset: Int, cause: String) {
        self.code = code
        self.offset = offset
        self.cause = cause
    }
}

extension ChangeSetDecodingError: CustomStringConvertible {
    /// The message for people: the cause, the offset and the code.
    @usableFromInline package var description: String {
        "Can't decode the bytes because \(cause) at offset \(offset) (\(code.rawValue))."
    }
}
