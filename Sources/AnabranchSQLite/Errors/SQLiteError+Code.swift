extension SQLiteError {
    /// SQLite's primary result code. Codes of later SQLite versions keep their number.
    ///
    /// Source: https://www.sqlite.org/rescode.html
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number of the code in SQLite.
        public let rawValue: Int32

        /// Creates a code from its number in SQLite.
        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// Wrong SQL, a missing table, or an error of a custom function: fix the statement.
        public static let error = Code(rawValue: 1)
        /// SQLite is at fault: report a bug.
        public static let `internal` = Code(rawValue: 2)
        /// The file system refuses access: change the file's permissions.
        public static let permission = Code(rawValue: 3)
        /// The transaction of this statement was rolled back: run it again.
        public static let abort = Code(rawValue: 4)
        /// Another connection held the lock for longer than the busy timeout: retry later.
        public static let busy = Code(rawValue: 5)
        /// Another statement of this connection holds a lock: finish it, then retry.
        public static let locked = Code(rawValue: 6)
        /// There is not enough memory.
        public static let noMemory = Code(rawValue: 7)
        /// The file or its connection is read-only: open a writable one.
        public static let readOnly = Code(rawValue: 8)
        /// A condition of ``Connection/stop(when:)`` stopped the statement.
        public static let interrupt = Code(rawValue: 9)
        /// The disk failed; a transaction may be rolled back. Check the disk.
        public static let ioError = Code(rawValue: 10)
        /// The file is damaged: restore it or synchronize a new one.
        public static let corrupt = Code(rawValue: 11)
        /// SQLite did not find a table of a virtual file system or a similar object.
        public static let notFound = Code(rawValue: 12)
        /// The disk is full, or the file has reached its limit: free space, then retry.
        public static let full = Code(rawValue: 13)
        /// The file or its directory is missing or cannot be read.
        public static let cantOpen = Code(rawValue: 14)
        /// The locking protocol of the file's journal failed: retry.
        public static let `protocol` = Code(rawValue: 15)
        /// The schema kept changing while the statement started: retry.
        public static let schema = Code(rawValue: 17)
        /// A text or blob is longer than SQLite's limit.
        public static let tooBig = Code(rawValue: 18)
        /// The data breaks a constraint of the table: fix the data.
        public static let constraint = Code(rawValue: 19)
        /// The value has the wrong type where only one type is allowed, as in a rowid.
        public static let mismatch = Code(rawValue: 20)
        /// The calling code broke a rule of this module: report a bug.
        public static let misuse = Code(rawValue: 21)
        /// The system does not support files of this size.
        public static let noLargeFile = Code(rawValue: 22)
        /// An authorizer refused the statement.
        public static let authorization = Code(rawValue: 23)
        /// The index of a parameter is below 1 or above the last.
        public static let range = Code(rawValue: 25)
        /// The file is not a database, or it is encrypted.
        public static let notADatabase = Code(rawValue: 26)
    }
}
