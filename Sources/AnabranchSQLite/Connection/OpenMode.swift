import CSQLite

/// The access of a connection to its file.
public enum OpenMode: Sendable {
    /// Reads and writes; creates a missing file, but not a missing directory.
    case readWriteCreate
    /// Reads and writes a file that exists.
    case readWrite
    /// Reads a file that exists.
    case readOnly
    /// Reads a file that nothing changes meanwhile, without locks and without files beside it.
    ///
    /// A write-ahead log beside the file is not read. The path must not contain a NUL.
    case immutable

    var flags: Int32 {
        switch self {
        case .readWriteCreate: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .readWrite: SQLITE_OPEN_READWRITE
        case .readOnly: SQLITE_OPEN_READONLY
        case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
        }
    }

    /// The name by which SQLite opens a file in this mode.
    func name(of path: String) -> String {
        guard self == .immutable else { return path }
        // In a URI the characters %, ? and # have other meanings.
        let escaped = path.utf8.reduce(into: "") { text, byte in
            let isPlain = byte > 0x2C && byte < 0x7F && byte != 0x3F
            text += isPlain ? String(UnicodeScalar(byte)) : Self.escape(byte)
        }
        return "file:\(escaped)?immutable=1"
    }

    private static func escape(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "%0\(digits)" : "%\(digits)"
    }
}
