public import AnabranchReplication

/// Sends change sets that the zone lacks, in the order of the sender's log.
public struct PushRequest: Message {
    public static let title = "push request"

    /// The epoch that the sender believes the zone to be in.
    public var epoch: EpochID
    /// Encoded change sets, of any replica.
    public var changeSets: [[UInt8]]

    public init(epoch: EpochID, changeSets: [[UInt8]]) {
        self.epoch = epoch
        self.changeSets = changeSets
    }

    public init(from reader: inout ByteReader) throws(ChangeSetDecodingError) {
        epoch = try reader.readReplica()
        changeSets = try reader.readChangeSets()
    }

    public func write(to writer: inout ByteWriter) {
        writer.append(replica: epoch)
        writer.append(changeSets: changeSets)
    }
}

/// What became of each pushed set: a prefix was taken in, some of it as voids, and at most one was
/// refused.
public struct PushResponse: Message {
    public static let title = "push response"

    /// One change set that the zone holds now, as its log has it.
    public struct Acknowledgement: Hashable, Sendable {
        public var position: UInt64
        /// Dot and timestamp in the log; another than was sent where the log held the origin
        /// under another name already.
        public var dot: Dot
        public var timestamp: HybridTimestamp
        public var digest: Digest
        /// The first bytes of the origin, where the dot is not the one that was sent: nothing else
        /// in it says which of the pushed sets it answers.
        public var originPrefix: UInt64?
        /// Why the log has a void in the place of the set; `nil` where it has the set.
        public var rejection: Rejection?

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

    /// For the first sets of the request, in their order.
    public var acknowledgements: [Acknowledgement]
    /// Why the set behind the last acknowledged one was refused; the sets behind it were not
    /// looked at.
    public var refusal: ProtocolError?
    public var headPosition: UInt64
    /// The server's clock, since 1970-01-01 UTC.
    public var wallMilliseconds: Int64

    public init(
        acknowledgements: [Acknowledgement], refusal: ProtocolError?, headPosition: UInt64,
        wallMilliseconds: Int64
    ) {
        self.acknowledgements = acknowledgements
        self.refusal = refusal
        self.headPosition = headPosition
        self.wallMilliseconds = wallMilliseconds
    }

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

    public func write(to writer: inout ByteWriter) {
        writer.append(count: acknowledgements.count)
        for acknowledgement in acknowledgements { acknowledgement.write(to: &writer) }
        writer.append(refusal) { $1.write(to: &$0) }
        writer.append(varint: headPosition)
        writer.append(milliseconds: wallMilliseconds)
    }
}

extension PushResponse.Acknowledgement {
    /// Of one with the shortest numbers and without a rejection.
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
