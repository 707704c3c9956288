import CSQLite
import CSystem

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A failure of SQLite: the action, the cause and the statement.
///
/// Every failure of this module is one. Errors of the caller pass through unchanged if the body of
/// a transaction or of a read throws them. So do errors that a simulation injects. The error of a
/// custom function is in ``underlying``.
public struct SQLiteError: Error, Sendable {
    /// SQLite's primary result code.
    public var code: Code

    /// SQLite's extended result code, for example 2067 for a violated UNIQUE constraint.
    public var extendedCode: Int32

    /// The message in the form "Can't \<verb\> \<object\> because \<cause\>."
    public var message: String

    /// The text of the statement that failed, if one was involved.
    public var sql: String?

    /// The number of bytes from the start of ``sql`` to the wrong token, if SQLite reports it.
    public var offset: Int?

    /// The error of a custom function, if it made the statement fail.
    public var underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameter action: The action that failed, for example `open the file "a.db"`.
    public init(
        code: Code, extendedCode: Int32? = nil, action: String, cause: String, sql: String? = nil,
        offset: Int? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.extendedCode = extendedCode ?? code.rawValue
        self.message = "Can't \(action) because \(cause)."
        self.sql = sql
        self.offset = offset
        self.underlying = underlying
    }
}

extension SQLiteError: CustomStringConvertible, LocalizedError {
    /// The message and SQLite's extended result code.
    public var description: String { "\(message) (SQLite code \(extendedCode))" }
    /// The same text, for `localizedDescription`.
    public var errorDescription: String? { description }
}

extension SQLiteError {
    /// Reads the failure from a connection, directly after the call that returned `status`.
    init(
        status: Int32, database: OpaquePointer?, action: String, sql: String? = nil,
        underlying: (any Error)? = nil
    ) {
        let isCurrent = database.map { sqlite3_extended_errcode($0) == status } ?? false
        let text = isCurrent ? sqlite3_errmsg(database) : sqlite3_errstr(status)
        var code = Code(rawValue: status & 0xff)
        var cause = text.map { String(cString: $0) } ?? "of an unknown failure"
        if code == .cantOpen || code == .ioError, let database {
            let number = sqlite3_system_errno(database)
            if number != 0 { cause += " (\(String(cString: csystem_error_text(number))))" }
            // Some calls of the file system, as that for the index of the log, report a full disk
            // as a failure like any other.
            if csystem_is_disk_full(number) { code = .full }
        }
        let offset = isCurrent ? sqlite3_error_offset(database) : -1
        self.init(
            code: code, extendedCode: status, action: action, cause: cause, sql: sql,
            offset: offset >= 0 ? Int(offset) : nil, underlying: underlying)
    }

    /// An error for a broken rule of the calling code.
    static func misuse(action: String, cause: String, sql: String? = nil) -> SQLiteError {
        SQLiteError(code: .misuse, action: action, cause: cause, sql: sql)
    }

    static func closed(action: String, sql: String? = nil) -> SQLiteError {
        misuse(action: action, cause: "its connection has been closed", sql: sql)
    }

    /// The text of a statement for messages: quoted, on one line, at most 200 characters.
    static func quoted(_ sql: String) -> String {
        let start = sql.prefix(200)
        let line = start.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return "\u{201C}\(line)\(start.endIndex < sql.endIndex ? "…" : "")\u{201D}"
    }
}
