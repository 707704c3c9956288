package import AnabranchReplication

/// The outcome of a push: the zone accepted the first change sets of the request, some of them as
/// voids, and refused at most one.
///
/// Most change sets are in the log in the form in which they were sent, at consecutive positions.
/// A vector names them together, and only the others have an acknowledgement each.
package struct PushResponse: Message {
    /// The number of the request's first change sets that are acknowledged. They are the
    /// ``exceptions`` and those that were taken as they were sent.
    package private(set) var acknowledgedCount: UInt64
    /// The vector of the change sets that the log has in the form in which they were sent: the
    /// last one of each replica.
    package private(set) var taken: VersionVector
    /// The positions of these change sets in the log, in the order of the request.
    package private(set) var runs: [Run]
    /// The first eight bytes of a digest over the forms of these change sets, in the order in which
    /// the server got them. The vector does not show their order.
    package private(set) var orderCheck: UInt64
    /// The acknowledgements of the other change sets, in the order of the request.
    package private(set) var exceptions: [Exception]
    /// The reason why the change set after the last acknowledged one was refused, or `nil` if none
    /// was refused. The server did not examine the change sets after the refused one.
    package var refusal: ProtocolError?
    /// The position of the log's last entry.
    package var headPosition: UInt64
    /// The server's clock, in milliseconds since 1970-01-01 UTC.
    package var wallMilliseconds: Int64

    /// Consecutive positions of the log.
    package struct Run: Hashable, Sendable {
        package let position: UInt64
        /// The number of positions, at least one.
        package fileprivate(set) var count: UInt64
    }

    /// The acknowledgement of a change set that the log has in another form than was sent.
    package struct Exception: Hashable, Sendable {
        /// The place of the change set in the request, from zero.
        package let index: UInt64
        package let acknowledgement: Acknowledgement
    }

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - acknowledgements: The acknowledgements of the request's first change sets, in their
    ///     order.
    ///   - sent: The forms in which at least these change sets were sent.
    package init(
        acknowledging acknowledgements: [Acknowledgement], of sent: [SentForm],
        refusal: ProtocolError?, headPosition: UInt64, wallMilliseconds: Int64
    ) {
        precondition(sent.count >= acknowledgements.count, "a change set has no sent form")
        acknowledgedCount = UInt64(acknowledgements.count)
        (taken, runs, exceptions, orderCheck) = (VersionVector(), [], [], 0)
        self.refusal = refusal
        self.headPosition = headPosition
        self.wallMilliseconds = wallMilliseconds
        var forms: [SentForm] = []
        for (index, (acknowledgement, form)) in zip(acknowledgements, sent).enumerated() {
            if acknowledgement == Acknowledgement(of: form, at: acknowledgement.position) {
                taken.insert(form.dot)
                forms.append(form)
                append(acknowledgement.position)
            } else {
                exceptions.append(Exception(index: UInt64(index), acknowledgement: acknowledgement))
            }
        }
        orderCheck = SentForm.check(of: forms)
    }

    private mutating func append(_ position: UInt64) {
        if let last = runs.last, last.position + last.count == position {
            runs[runs.count - 1].count += 1
        } else {
            runs.append(Run(position: position, count: 1))
        }
    }

    package init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        acknowledgedCount = try reader.readQuantity()
        taken = try reader.readVector()
        runs = []
        var rest = acknowledgedCount
        for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
            let run = try Run(from: &reader)
            guard run.count <= rest else { throw reader.failure(.malformed, Self.wrongCount) }
            rest -= run.count
            runs.append(run)
        }
        orderCheck = try reader.readFixed64()
        exceptions = []
        for _ in 0..<(try reader.readCount(ofAtLeast: Exception.leastByteCount)) {
            let exception = try Exception(from: &reader)
            guard exception.index < acknowledgedCount,
                exceptions.last.map({ $0.index < exception.index }) ?? true
            else { throw reader.failure(.malformed, "the exceptions are not in order") }
            exceptions.append(exception)
        }
        guard UInt64(exceptions.count) == rest else {
            throw reader.failure(.malformed, Self.wrongCount)
        }
        refusal = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            try ProtocolError(from: &reader)
        }
        headPosition = try reader.readQuantity()
        wallMilliseconds = try reader.readMilliseconds()
    }

    private static let wrongCount =
        "the positions and exceptions are not as many as the acknowledged change sets"

    package func write(to writer: inout ByteWriter) {
        writer.append(varint: acknowledgedCount)
        writer.append(vector: taken)
        writer.append(count: runs.count)
        for run in runs { run.write(to: &writer) }
        writer.append(fixed64: orderCheck)
        writer.append(count: exceptions.count)
        for exception in exceptions { exception.write(to: &writer) }
        writer.append(refusal) { $1.write(to: &$0) }
        writer.append(varint: headPosition)
        writer.append(milliseconds: wallMilliseconds)
    }

    package var expectedByteCount: Int { 256 + 8 * runs.count + 80 * exceptions.count }
}

extension PushResponse.Run {
    fileprivate init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        position = try reader.readQuantity()
        count = try reader.readQuantity()
        guard count > 0, position + count <= Limits.greatestSequence + 1 else {
            throw reader.failure(.malformed, "the number of consecutive positions is impossible")
        }
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.append(varint: position)
        writer.append(varint: count)
    }
}

extension PushResponse.Exception {
    /// The length of the shortest exception, which has no rejection.
    fileprivate static let leastByteCount = 1 + PushResponse.Acknowledgement.leastByteCount

    fileprivate init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        index = try reader.readQuantity()
        acknowledgement = try PushResponse.Acknowledgement(from: &reader)
    }

    fileprivate func write(to writer: inout ByteWriter) {
        writer.append(varint: index)
        acknowledgement.write(to: &writer)
    }
}

extension ByteWriter {
    /// Appends a count, then the last dot of each replica, in the order of the replicas.
    fileprivate mutating func append(vector: VersionVector) {
        let heads = vector.heads
        append(count: heads.count)
        for head in heads { append(dot: head) }
    }
}

extension ByteReader {
    fileprivate mutating func readVector() throws(ChangeSetDecodingError) -> VersionVector {
        var vector = VersionVector()
        var last: ReplicaID?
        for _ in 0..<(try readCount(ofAtLeast: ReplicaID.byteCount + 1)) {
            let head = try readDot()
            if let last, last >= head.replica {
                throw failure(.malformed, "the replicas of a vector are not in order")
            }
            last = head.replica
            vector.insert(head)
        }
        return vector
    }
}
