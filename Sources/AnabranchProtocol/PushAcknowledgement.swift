package import AnabranchReplication

extension PushResponse {
    /// The form in which a change set was sent.
    package struct SentForm: Hashable, Sendable {
        package var dot: Dot
        package var timestamp: HybridTimestamp
        package var digest: Digest

        package init(_ changeSet: ChangeSet) {
            dot = changeSet.dot
            timestamp = changeSet.timestamp
            digest = changeSet.digest
        }

        /// The first eight bytes of the digest over some forms in their order.
        static func check(of forms: [SentForm]) -> UInt64 {
            var writer = ByteWriter(reservingCapacity: forms.count * 64)
            for form in forms {
                writer.append(dot: form.dot)
                writer.append(fixed64: form.timestamp.rawValue)
                writer.append(digest: form.digest)
            }
            return Digest(of: writer.bytes).prefix
        }
    }

    /// The acknowledgement of one change set, with its form in the zone's log. If the zone rejected
    /// the change set, the entry in the log is a void.
    package struct Acknowledgement: Hashable, Sendable {
        /// The position of the change set in the log.
        package var position: UInt64
        /// The dot of the change set in the log. It differs from the pushed one if the log already
        /// had the origin under another dot.
        package var dot: Dot
        /// The timestamp of the change set in the log.
        package var timestamp: HybridTimestamp
        /// The digest of the change set in the log.
        package var digest: Digest
        /// The first eight bytes of the origin, if the dot differs from the pushed one. Only they
        /// say which pushed change set is acknowledged.
        package var originPrefix: UInt64?
        /// The reason why the log has a void in the place of the change set, or `nil` if it has the
        /// change set.
        package var rejection: SaveRejection?

        package init(
            position: UInt64, dot: Dot, timestamp: HybridTimestamp, digest: Digest,
            originPrefix: UInt64? = nil, rejection: SaveRejection? = nil
        ) {
            self.position = position
            self.dot = dot
            self.timestamp = timestamp
            self.digest = digest
            self.originPrefix = originPrefix
            self.rejection = rejection
        }

        /// Creates the acknowledgement of a change set that the log has as it was sent.
        init(of form: SentForm, at position: UInt64) {
            self.init(
                position: position, dot: form.dot, timestamp: form.timestamp, digest: form.digest)
        }
    }

    /// The acknowledgements of the request's first change sets, in their order.
    ///
    /// - Parameter sent: The forms in which the change sets of the request were sent.
    ///
    /// - Throws: ``ProtocolError`` with code `malformedRequest` if the response can't be that to
    ///   these change sets: it acknowledges more, or those that it acknowledges as they were sent
    ///   have another vector, or came to the server in another order.
    package func acknowledgements(of sent: [SentForm]) throws(ProtocolError) -> [Acknowledgement] {
        guard acknowledgedCount <= UInt64(sent.count) else {
            throw ProtocolError(
                .malformedRequest,
                "Can't read the answer to a push of \(sent.count) change sets because it "
                    + "acknowledges \(acknowledgedCount).")
        }
        var acknowledgements: [Acknowledgement] = []
        acknowledgements.reserveCapacity(Int(acknowledgedCount))
        var vector = VersionVector()
        var forms: [SentForm] = []
        var positions = runs.lazy.flatMap { $0.position..<$0.position + $0.count }.makeIterator()
        var others = exceptions.makeIterator()
        var other = others.next()
        for (index, form) in sent.prefix(Int(acknowledgedCount)).enumerated() {
            if let exception = other, exception.index == UInt64(index) {
                acknowledgements.append(exception.acknowledgement)
                other = others.next()
            } else if let position = positions.next() {
                acknowledgements.append(Acknowledgement(of: form, at: position))
                vector.insert(form.dot)
                forms.append(form)
            }
        }
        guard vector == taken else {
            throw ProtocolError(
                .malformedRequest,
                "Can't read the answer to a push because it acknowledges \(taken) in the place of "
                    + "\(vector).")
        }
        guard SentForm.check(of: forms) == orderCheck else {
            throw ProtocolError(
                .malformedRequest,
                "Can't read the answer to a push because the server got the change sets in another "
                    + "order.")
        }
        return acknowledgements
    }
}

extension PushResponse.Acknowledgement {
    /// The length of the shortest acknowledgement, which has no rejection.
    static let leastByteCount = 60

    init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        position = try reader.readQuantity()
        dot = try reader.readDot()
        timestamp = try reader.readTimestamp()
        digest = try reader.readDigest()
        originPrefix = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            try reader.readFixed64()
        }
        rejection = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            let code = SaveRejection.Code(rawValue: try reader.readName())
            return SaveRejection(code, try reader.readString())
        }
    }

    func write(to writer: inout ByteWriter) {
        writer.append(varint: position)
        writer.append(dot: dot)
        writer.append(fixed64: timestamp.rawValue)
        writer.append(digest: digest)
        writer.append(originPrefix) { $0.append(fixed64: $1) }
        writer.append(rejection) { writer, rejection in
            writer.append(string: rejection.code.rawValue)
            writer.append(string: rejection.reason)
        }
    }
}
