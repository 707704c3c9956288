extension ChangeSet {
    public static let version: UInt8 = 1
    /// Bytes of the shortest encoded change set, whose payload and names are empty.
    public static let leastByteCount = 98

    /// The set as it travels: version, core, previous origin, origin, the digest where the origin
    /// does not cover it, and the context.
    public func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: payload.count + 256)
        writer.append(byte: Self.version)
        writer.append(
            block: Self.core(
                kind: kind, dot: dot, timestamp: timestamp, author: author, name: name,
                payload: payload, rewrittenFrom: rewrittenFrom))
        writer.append(digest: previousOrigin)
        writer.append(digest: origin)
        if saysDigest { writer.append(digest: digest) }
        writer.append(context: context)
        return writer.bytes
    }

    /// Decodes one change set from bytes that came from the network or a file.
    ///
    /// Digest and, unless the set is marked as rewritten, origin are computed anew and compared.
    /// The form of a save's payload is not looked at: ``decodedPayload()`` does that.
    ///
    /// - Parameters:
    ///   - bytes: Exactly one encoded change set.
    ///   - isChecked: Off only where a simulation shows that it is needed.
    /// - Throws: ``ChangeSetDecodingError`` with the offset of the first byte that could not be
    ///   read. Nothing has been stored; ask the sender for the change set again.
    public init(
        decoding bytes: [UInt8], checkingDigest isChecked: Bool = true
    ) throws(ChangeSetDecodingError) {
        var reader = ByteReader(bytes)
        let version = try reader.readByte()
        guard version == Self.version else {
            throw reader.failure(
                .unsupportedVersion, "version \(version) of change sets is not known here")
        }
        guard bytes.count <= Limits.largestChangeSet else {
            throw reader.failure(.limitExceeded, "it is larger than \(Limits.largestChangeSet)")
        }
        var core = try reader.readNested()
        let encodedCore = try Self.copy(of: core)
        self = try Self.readCore(&core, then: &reader, digest: Digest(of: encodedCore))
        try reader.expectEnd()
        try checkForm()
        if isChecked { try checkOrigin(reader) }
    }

    private static func copy(of reader: ByteReader) throws(ChangeSetDecodingError) -> [UInt8] {
        var copy = reader
        return try copy.readRaw(copy.remaining)
    }

    private static func readCore(
        _ core: inout ByteReader, then reader: inout ByteReader, digest: Digest
    ) throws(ChangeSetDecodingError) -> ChangeSet {
        let kind = LogEntryKind(rawValue: try core.readByte())
        guard kind.isKnown else {
            throw core.failure(.unsupportedVersion, "entries of kind \(kind) are unknown")
        }
        let isRewritten = try core.readFlag()
        let dot = try core.readDot()
        let timestamp = try core.readTimestamp()
        let rewrittenFrom = isRewritten ? try core.readDot() : nil
        let author = try core.readName()
        let name = try core.readName()
        let payload = try core.readBlock()
        try core.expectEnd()
        let previousOrigin = try reader.readDigest()
        let origin = try reader.readDigest()
        if isRewritten || kind == .void, try reader.readDigest() != digest {
            throw reader.failure(.digestMismatch, "the digest of \(dot) is another")
        }
        return ChangeSet(
            fromLog: kind, dot: dot, timestamp: timestamp, author: author, name: name,
            payload: payload, rewrittenFrom: rewrittenFrom, previousOrigin: previousOrigin,
            origin: origin, digest: digest, context: try reader.readContext())
    }

    private func checkOrigin(_ reader: ByteReader) throws(ChangeSetDecodingError) {
        guard rewrittenFrom == nil else { return }
        guard origin == Self.origin(previous: previousOrigin, digest: try savedDigest()) else {
            throw reader.failure(.digestMismatch, "the origin of \(dot) is another")
        }
    }
}
