/// Why a key ring can't be read, changed or written.
///
/// The file is as it was, but with the code `notDurable`, which says that it has changed.
///
/// No message has anything of what stands in the file but numbers of lines and IDs of keys.
public struct KeyRingError: Error, Sendable {
    public let code: Code
    public let message: String
    /// Of the key ring's file; `nil` where the ring is in memory only.
    public let path: String?
    /// Of the file, from 1.
    public let line: Int?

    package init(_ code: Code, _ message: String, path: String? = nil, line: Int? = nil) {
        self.code = code
        self.message = message
        self.path = path
        self.line = line
    }
}

extension KeyRingError {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No file there, or no right to read it: check the path.
        public static let cannotOpen = Code(rawValue: "cannot-open")
        /// Others may read the file, so its keys may be no secrets: take the rights away, and if
        /// somebody may have read it, rotate.
        public static let exposed = Code(rawValue: "exposed")
        /// No key ring, or one that was cut or changed: take a copy that is whole.
        public static let malformed = Code(rawValue: "malformed")
        /// Written by a later version: update this program.
        public static let newerFormat = Code(rawValue: "newer-format")
        /// There is a file already, and no key is overwritten: choose another name.
        public static let alreadyExists = Code(rawValue: "already-exists")
        /// The file can't be written: check its folder, and the room on the disk.
        public static let cannotWrite = Code(rawValue: "cannot-write")
        /// The file has what it should, and a loss of power may still bring back what was there
        /// before: look at it again after one, and keep a copy.
        public static let notDurable = Code(rawValue: "not-durable")
        /// The ring has no such key.
        public static let notHeld = Code(rawValue: "not-held")
        /// The newest key can't be removed: rotate first.
        public static let sealingKey = Code(rawValue: "sealing-key")
        /// No key can be newer than one with the last date there is: remove that one first, or
        /// begin with a new ring where it is the only one.
        public static let lastDate = Code(rawValue: "last-date")
        /// A ring is full: remove keys with which nothing is sealed any more.
        public static let tooManyKeys = Code(rawValue: "too-many-keys")
    }
}

extension KeyRingError: CustomStringConvertible {
    public var description: String { "\(message) (\(code.rawValue))" }
}
