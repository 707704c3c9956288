import CSystem

/// Which file a path leads to, told apart from a copy of it.
///
/// It survives renaming and rewriting in place, and not copying. Devices are no part of it: their
/// numbers change between boots.
public struct FileIdentity: Hashable, Sendable {
    public let inode: UInt64

    /// Nanoseconds since 1970-01-01 UTC; 0 where the file system does not tell.
    public let birthNanoseconds: Int64

    public init(inode: UInt64, birthNanoseconds: Int64) {
        self.inode = inode
        self.birthNanoseconds = birthNanoseconds
    }

    /// Looks at the file that `path` leads to, through symbolic links.
    ///
    /// - Throws: ``SQLiteError`` with code `cantOpen` when there is none or it cannot be reached.
    public init(path: String) throws {
        let action = "identify the file \u{201C}\(path)\u{201D}"
        guard !path.utf8.contains(0) else {
            throw SQLiteError(
                code: .cantOpen, action: action, cause: "a path cannot contain a NUL")
        }
        guard let identity = Self.look(at: path) else {
            let cause = String(cString: csystem_error_text(csystem_last_error()))
            throw SQLiteError(code: .cantOpen, action: action, cause: cause)
        }
        self = identity
    }

    /// Whether the two are of one file, as far as can be told: a birth time that either side does
    /// not know is not compared.
    ///
    /// `==` compares what is recorded; this is the question to ask of a store.
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

    /// Wraps around beyond the year 2262, which keeps two births apart as well.
    private static func nanoseconds(seconds: Int64, fraction: Int64) -> Int64 {
        seconds &* 1_000_000_000 &+ fraction
    }
}

extension FileIdentity {
    /// How a store records it: 16 bytes, the inode and then the birth time, each with the least
    /// significant byte first.
    public var encoded: [UInt8] {
        [inode, UInt64(bitPattern: birthNanoseconds)].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
    }

    /// - Returns: `nil` unless there are exactly 16 bytes.
    public init?(encoded bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        func word(_ slice: ArraySlice<UInt8>) -> UInt64 {
            slice.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(
            inode: word(bytes[..<8]), birthNanoseconds: Int64(bitPattern: word(bytes[8...])))
    }
}
