public import AnabranchReplication

/// Sends change sets that the zone lacks, in the order of the client's log.
public struct PushRequest: Message {
    /// The title for error messages.
    public static let title = "push request"

    /// The epoch that the client assumes the zone to have.
    public var epoch: EpochID
    /// The encoded change sets, of any replicas.
    public var changeSets: [[UInt8]]

    /// Creates a request.
    public init(epoch: EpochID, changeSets: [[UInt8]]) {
        self.epoch = epoch
        self.changeSets = changeSets
    }

    /// Reads the fields of the request.
    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        epoch = try reader.readReplica()
        changeSets = try reader.readChangeSets()
    }

    /// About the number of bytes of the request.
    public var expectedByteCount: Int { 128 + ByteWriter.byteCount(of: changeSets) }

    /// Writes the fields of the request.
    public func write(to writer: inout ByteWriter) {
        writer.append(replica: epoch)
        writer.append(changeSets: changeSets)
    }
}

/// The outcome of a push: the zone accepted the first change sets of the request, some of them as
/// voids, and refused at most one.
public struct PushResponse: Message {
    /// The title for error messages.
    public static let title = "push response"

    /// The acknowledgement of one change set, with its form in the zone's log. If the zone rejected
    /// the change set, the entry in the log is a void.
    public struct Acknowledgement: Hashable, Sendable {
        /// The position of the change set in the log.
        public var position: UInt64
        /// The dot of the change set in the log. It differs from the pushed one if the log already
        /// had the origin under another dot.
        public var dot: Dot
        /// The timestamp of the change set in the log.
        public var timestamp: HybridTimestamp
        /// The digest of the change set in the log.
        public var digest: Digest
        /// The first eight bytes of the origin, if the dot differs from the pushed one. Only they
        /// say which pushed change set is acknowledged.
        public var originPrefix: UInt64?
        /// The reason why the log has a void in the place of the change set, or `nil` if it has the
        /// change set.
        public var rejection: Rejection?

        /// Creates an acknowledgement.
        public init(
            position: UInt64, dot: Dot, timestamp: HybridTimestamp, digest: Digest,
            originPrefix: UInt64? = nil, rejection: Rejection? = nil
        ) {
            self.position = position
            self.dot = dot
            self.timestamp = timestamp
            self.digest = digest
            self.originPrefix = originPrefix
            self.rejection = rejection
        }
    }

    /// The acknowledgements of the request's first change sets, in their order.
    public var acknowledgements: [Acknowledgement]
    /// The reason why the change set after the last acknowledged one was refused, or `nil` if none
    /// was refused. The server did not examine the change sets after the refused one.
    public var refusal: ProtocolError?
    /// The position of the log's last entry.
    public var headPosition: UInt64
    /// The server's clock, in milliseconds since 1970-01-01 UTC.
    public var wallMilliseconds: Int64

    /// Creates a response.
    public init(
        acknowledgements: [Acknowledgement], refusal: ProtocolError?, headPosition: UInt64,
        wallMilliseconds: Int64
    ) {
        self.acknowledgements = acknowledgements
        self.refusal = refusal
        self.headPosition = headPosition
        self.wallMilliseconds = wallMilliseconds
    }

    /// Reads the fields of the response.
    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        acknowledgements = []
        for _ in 0..<(try reader.readCount(ofAtLeast: Acknowledgement.leastByteCount)) {
            acknowledgements.append(try Acknowledgement(from: &reader))
        }
        refusal = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            try ProtocolError(from: &reader)
        }
        headPosition = try reader.readQuantity()
        wallMilliseconds = try reader.readMilliseconds()
    }

    /// Writes the fields of the response.
    public func write(to writer: inout ByteWriter) {
        writer.append(count: acknowledgements.count)
        for acknowledgement in acknowledgements { acknowledgement.write(to: &writer) }
        writer.append(refusal) { $1.write(to: &$0) }
        writer.append(varint: headPosition)
        writer.append(milliseconds: wallMilliseconds)
    }
}

extension PushResponse.Acknowledgement {
    /// The length of the shortest acknowledgement, which has no rejection.
    fileprivate static let leastByteCount = 60

    init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        position = try reader.readQuantity()
        dot = try reader.readDot()
        timestamp = try reader.readTimestamp()
        digest = try reader.readDigest()
        originPrefix = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            try reader.readFixed64()
        }
        rejection = try reader.readOptional { (reader) throws(ChangeSetDecodingError) in
            let code = Rejection.Code(rawValue: try reader.readName())
            return Rejection(code, try reader.readString())
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

extension ProtocolError {
    init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        let code = Code(rawValue: try reader.readName())
        let message = try reader.readString()
        var details: [String: String] = [:]
        for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
            let key = try reader.readName()
            details[key] = try reader.readString()
        }
        self.init(code, message, details: details)
    }

    func write(to writer: inout ByteWriter) {
        writer.append(string: code.rawValue)
        writer.append(string: message)
        writer.append(count: details.count)
        for (key, value) in details.sorted(by: { WireName($0.key) < WireName($1.key) }) {
            writer.append(string: key)
            writer.append(string: value)
        }
    }
}
