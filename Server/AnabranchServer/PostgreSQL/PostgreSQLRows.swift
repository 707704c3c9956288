import CPostgreSQL

/// The rows of one statement's result, in PostgreSQL's binary form.
package final class PostgreSQLRows {
    private let result: OpaquePointer
    let count: Int
    /// The report about the statement of a result that was not received from a server.
    private var given: (changes: Int, command: String)?

    /// Takes over a result, and frees it at the end.
    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
    }

    /// Makes the result of a statement from values in PostgreSQL's binary form.
    ///
    /// - Parameters:
    ///   - rows: The rows, each with this number of columns; `nil` is NULL.
    ///   - changes: The number of rows that the statement has changed.
    ///   - command: The word with which a server reports the statement, such as `COMMIT`.
    package convenience init(
        _ rows: [[[UInt8]?]], columns: Int, changes: Int, command: String
    ) {
        guard let result = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else {
            preconditionFailure("libpq has memory for a result")
        }
        var name: [CChar] = [0]
        name.withUnsafeMutableBufferPointer { name in
            var columns = (0..<columns).map { _ in
                PGresAttDesc(
                    name: name.baseAddress, tableid: 0, columnid: 0, format: 1, typid: 0,
                    typlen: -1, atttypmod: -1)
            }
            PQsetResultAttrs(result, Int32(columns.count), &columns)
        }
        for (row, values) in rows.enumerated() {
            for (column, value) in values.enumerated() {
                guard var bytes = value?.map({ CChar(bitPattern: $0) }) else {
                    PQsetvalue(result, Int32(row), Int32(column), nil, -1)
                    continue
                }
                PQsetvalue(result, Int32(row), Int32(column), &bytes, Int32(bytes.count))
            }
        }
        self.init(result)
        given = (changes, command)
    }

    deinit { PQclear(result) }

    /// The number of rows that the statement has changed.
    package var changes: Int { given?.changes ?? Int(String(cString: PQcmdTuples(result))) ?? 0 }

    /// The word with which the server reports the statement, such as `COMMIT`.
    package var command: String { given?.command ?? String(cString: PQcmdStatus(result)) }

    /// The first row; `nil` if there is none.
    package var first: Row? { count > 0 ? Row(rows: self, index: 0) : nil }

    var byteCount: Int { PQresultMemorySize(result) }

    /// One row. Columns are counted from zero.
    package struct Row: StoredColumns {
        fileprivate let rows: PostgreSQLRows
        fileprivate let index: Int

        package func isNull(at column: Int) -> Bool {
            PQgetisnull(rows.result, Int32(index), Int32(column)) == 1
        }

        /// Calls `body` with the bytes of a column, which are valid during the call only.
        package func withBytes<Result, Failure: Error>(
            at column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            let start = PQgetvalue(rows.result, Int32(index), Int32(column))
            let length = PQgetlength(rows.result, Int32(index), Int32(column))
            return try body(UnsafeRawBufferPointer(start: start, count: Int(length)))
        }

        package func bytes(at column: Int) -> [UInt8] { withBytes(at: column) { Array($0) } }

        package func string(at column: Int) -> String {
            withBytes(at: column) { String(decoding: $0, as: UTF8.self) }
        }

        /// An integer of any width; 0 for NULL.
        package func int64(at column: Int) -> Int64 {
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
    package func makeIterator() -> some IteratorProtocol<Row> {
        (0..<count).lazy.map { Row(rows: self, index: $0) }.makeIterator()
    }
}
