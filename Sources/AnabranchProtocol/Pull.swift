package import AnabranchReplication

/// Asks for the entries of the log after a cursor.
package struct PullRequest: Message {
    /// The client's cursor, or `nil` to pull from the log's beginning.
    package var cursor: LogCursor?
    /// The greatest number of bytes of encoded change sets in the answer. A larger change set comes
    /// alone.
    package var byteLimit: UInt64

    package init(cursor: LogCursor?, byteLimit: UInt64) {
        self.cursor = cursor
        self.byteLimit = byteLimit
    }

    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        cursor = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            try reader.readCursor()
        }
        byteLimit = try reader.readQuantity()
    }

    package func write(to writer: inout ByteWriter) {
        writer.append(cursor) { $0.append(cursor: $1) }
        writer.append(varint: byteLimit)
    }
}

/// The first entries after the cursor, in the order of the log and without gaps.
package struct PullResponse: Message {
    /// The cursor after the last entry of the answer, or the requested cursor if the answer has no
    /// entry.
    package var cursor: LogCursor
    /// The position of the log's last entry at the time of the answer. There are more entries while
    /// it is greater than that of the cursor.
    package var headPosition: UInt64
    /// The server's clock, in milliseconds since 1970-01-01 UTC.
    package var wallMilliseconds: Int64
    /// The encoded change sets. The position of the first one follows that of the requested cursor.
    package var changeSets: [[UInt8]]

    package init(
        cursor: LogCursor, headPosition: UInt64, wallMilliseconds: Int64, changeSets: [[UInt8]]
    ) {
        self.cursor = cursor
        self.headPosition = headPosition
        self.wallMilliseconds = wallMilliseconds
        self.changeSets = changeSets
    }

    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        cursor = try reader.readCursor()
        headPosition = try reader.readQuantity()
        wallMilliseconds = try reader.readMilliseconds()
        changeSets = try reader.readChangeSets()
    }

    package var expectedByteCount: Int { 128 + ByteWriter.byteCount(of: changeSets) }

    package func write(to writer: inout ByteWriter) {
        writer.append(cursor: cursor)
        writer.append(varint: headPosition)
        writer.append(milliseconds: wallMilliseconds)
        writer.append(changeSets: changeSets)
    }
}

extension ByteWriter {
    /// The greatest number of bytes that some change sets take with their lengths.
    static func byteCount(of changeSets: [[UInt8]]) -> Int {
        changeSets.reduce(8) { $0 + $1.count + 5 }
    }

    /// Appends a count, then each change set with its length.
    mutating func append(changeSets: [[UInt8]]) {
        append(count: changeSets.count)
        for changeSet in changeSets { append(block: changeSet) }
    }
}

extension ByteReader {
    mutating func readChangeSets() throws(ChangeSetDecodingError) -> [[UInt8]] {
        // The least length of a change set limits their number, and so the number of allocations.
        let count = try readCount(ofAtLeast: ChangeSet.leastByteCount)
        var changeSets: [[UInt8]] = []
        changeSets.reserveCapacity(count)
        for _ in 0..<count { changeSets.append(try readBlock()) }
        return changeSets
    }
}
