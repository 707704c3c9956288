import CSystem

/// The identity of a file, which differs from that of a copy.
///
/// Renaming and rewriting in place keep it. The device is not a part of it, because device numbers
/// change between boots.
public struct FileIdentity: Hashable, Sendable {
    /// The inode number.
    public let inode: UInt64

    /// Nanoseconds since 1970-01-01 UTC; 0 if the file system does not record it.
    public let birthNanoseconds: Int64

    /// Creates an identity from its parts.
    public init(inode: UInt64, birthNanoseconds: Int64) {
        self.inode = inode
        self.birthNanoseconds = birthNanoseconds
    }

    /// Reads the identity of the file at `path`, through symbolic links.
    ///
    /// - Throws: ``SQLiteError`` with code `cantOpen` if there is no file or it cannot be reached.
    public init(path: String) throws {
        let action = "identify the file \u{201C}\(path)\u{201D}"
        guard !path.utf8.contains(0) else {
            throw SQLiteError(code: .cantOpen, action: action, cause: "a path cannot contain a NUL")
        }
        guard let identity = Self.look(at: path) else {
            let cause = String(cString: csystem_error_text(csystem_last_error()))
            throw SQLiteError(code: .cantOpen, action: action, cause: cause)
        }
        self = identity
    }

    /// Returns true if both can be of the same file; an unknown birth time is not compared.
    ///
    /// Use this for a store. In contrast, `==` compares exactly what is recorded.
    public func matches(_ other: FileIdentity) -> Bool {
        inode == other.inode
            && (birthNanoseconds == other.birthNanoseconds || birthNanoseconds == 0
                || other.birthNanoseconds == 0)
    }

    #if os(Linux)
        private static func look(at path: String) -> FileIdentity? {
            var status = statx()
            let wanted = UInt32(STATX_INO) | UInt32(STATX_BTIME)
            guard statx(AT_FDCWD, path, 0, wanted, &status) == 0 else { return nil }
            let isBirthKnown = status.stx_mask & UInt32(STATX_BTIME) != 0
            return FileIdentity(
                inode: status.stx_ino,
                birthNanoseconds: isBirthKnown
                    ? nanoseconds(
                        seconds: status.stx_btime.tv_sec,
                        fraction: Int64(status.stx_btime.tv_nsec)) : 0)
        }
    #else
        private static func look(at path: String) -> FileIdentity? {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            return FileIdentity(
                inode: UInt64(status.st_ino),
                birthNanoseconds: nanoseconds(
                    seconds: Int64(status.st_birthtimespec.tv_sec),
                    fraction: Int64(status.st_birthtimespec.tv_nsec)))
        }
    #endif

    /// Nanoseconds, which wrap around after the year 2262; two births still differ then.
    private static func nanoseconds(seconds: Int64, fraction: Int64) -> Int64 {
        seconds &* 1_000_000_000 &+ fraction
    }
}

extension FileIdentity {
    /// The form in which a store records it, 16 bytes.
    ///
    /// The inode comes first, then the birth time, each with the least significant byte first.
    public var encoded: [UInt8] {
        [inode, UInt64(bitPattern: birthNanoseconds)].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
    }

    /// Decodes a recorded identity; `nil` unless there are exactly 16 bytes.
    public init?(encoded bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        func word(_ slice: ArraySlice<UInt8>) -> UInt64 {
            slice.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(inode: word(bytes[..<8]), birthNanoseconds: Int64(bitPattern: word(bytes[8...])))
    }
}
