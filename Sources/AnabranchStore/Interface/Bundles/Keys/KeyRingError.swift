public import AnabranchReplication

/// An error of reading, changing or writing a key ring.
///
/// The file is unchanged, except with the code `notDurable`, which means that it has changed.
///
/// A message contains nothing from the file except line numbers and key IDs.
public struct KeyRingError: Error, Sendable {
    /// The kind of error, which says what to do.
    public let code: Code
    /// The cause in words, with the path and what a person can do.
    public let message: String
    /// The path of the key ring's file; `nil` if the ring is only in memory.
    public let path: String?
    /// The line in the file, counted from 1; `nil` if the error concerns no line.
    public let line: Int?

    package init(_ code: Code, _ message: String, path: String? = nil, line: Int? = nil) {
        self.code = code
        self.message = message
        self.path = path
        self.line = line
    }
}

extension KeyRingError {
    /// A kind of key ring error.
    public struct Code: Hashable, Sendable {
        /// The code's text, for example `cannot-open`.
        public let rawValue: String

        /// There is no file, or no permission to read it. Check the path.
        public static let cannotOpen = Code(rawValue: "cannot-open")
        /// Users other than the owner can read the file, so its keys may no longer be secret.
        /// Restrict the permissions, and rotate the keys if another person may have read the file.
        public static let exposed = Code(rawValue: "exposed")
        /// The file is not a key ring, or was truncated or changed. Use an intact copy.
        public static let malformed = Code(rawValue: "malformed")
        /// A later version wrote the file. Update this program.
        public static let newerFormat = Code(rawValue: "newer-format")
        /// The file already exists, and keys are never overwritten. Choose another name.
        public static let alreadyExists = Code(rawValue: "already-exists")
        /// The file cannot be written. Check its folder and the free space on the disk.
        public static let cannotWrite = Code(rawValue: "cannot-write")
        /// The file has its new content, but a power failure may still restore the previous one.
        /// Check the file after a power failure, and keep a copy.
        public static let notDurable = Code(rawValue: "not-durable")
        /// The ring has no such key.
        public static let notHeld = Code(rawValue: "not-held")
        /// The newest key cannot be removed. Rotate first.
        public static let sealingKey = Code(rawValue: "sealing-key")
        /// The newest key has the last possible date, so no newer key can be created. Remove that
        /// key first, or create a new ring if it is the only key.
        public static let lastDate = Code(rawValue: "last-date")
        /// The ring is full. Remove keys with which no bundle is sealed any more.
        public static let tooManyKeys = Code(rawValue: "too-many-keys")
    }
}

extension KeyRingError: CustomStringConvertible, DescribedError {
    /// The message, followed by the code in parentheses.
    public var description: String { "\(message) (\(code.rawValue))" }
}
