import CPostgreSQL

/// The rows of one statement's result, in PostgreSQL's binary form.
final class PostgreSQLRows {
    private let result: OpaquePointer
    let count: Int

    /// Takes over a result, and frees it at the end.
    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
    }

    deinit { PQclear(result) }

    /// The number of rows that the statement has changed.
    var changes: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

    /// The word with which the server reports the statement, such as `COMMIT`.
    var command: String { String(cString: PQcmdStatus(result)) }

    /// The first row; `nil` if there is none.
    var first: Row? { count > 0 ? Row(rows: self, index: 0) : nil }

    /// One row. Columns are counted from zero.
    struct Row: StoredColumns {
        fileprivate let rows: PostgreSQLRows
        fileprivate let index: Int

        func isNull(at column: Int) -> Bool {
            PQgetisnull(rows.result, Int32(index), Int32(column)) == 1
        }

        /// Calls `body` with the bytes of a column, which are valid during the call only.
        func withBytes<Result, Failure: Error>(
            at column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            let start = PQgetvalue(rows.result, Int32(index), Int32(column))
            let length = PQgetlength(rows.result, Int32(index), Int32(column))
            return try body(UnsafeRawBufferPointer(start: start, count: Int(length)))
        }

        func bytes(at column: Int) -> [UInt8] { withBytes(at: column) { Array($0) } }

        func string(at column: Int) -> String {
            withBytes(at: column) { String(decoding: $0, as: UTF8.self) }
        }

        /// An integer of any width; 0 for NULL.
        func int64(at column: Int) -> Int64 {
            withBytes(at: column) { bytes in
                switch bytes.count {
                case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
                case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
                case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
                case 1: Int64(bytes[0])
                default: 0
                }
            }
        }
    }
}

extension PostgreSQLRows: Sequence {
    func makeIterator() -> some IteratorProtocol<Row> {
        (0..<count).lazy.map { Row(rows: self, index: $0) }.makeIterator()
    }
}
