extension ChangeSet {
    package static let version: UInt8 = 1
    /// The number of bytes of the shortest encoded change set, which has an empty payload and empty
    /// names.
    package static let leastByteCount = 98

    /// Encodes the change set for the network or a file.
    ///
    /// The bytes are: version, core, previous origin, origin, digest and context. The digest is
    /// left out if the origin covers it.
    package func encoded() -> [UInt8] {
        var writer = ByteWriter(reservingCapacity: payload.count + 256)
        writer.append(byte: Self.version)
        let head = Self.head(
            kind: kind, dot: dot, timestamp: timestamp, author: author, name: name,
            payloadCount: payload.count, rewrittenFrom: rewrittenFrom)
        writer.append(count: head.count + payload.count)
        writer.append(contentsOf: head)
        writer.append(raw: payload)
        writer.append(digest: previousOrigin)
        writer.append(digest: origin)
        if saysDigest { writer.append(digest: digest) }
        writer.append(context: context)
        return writer.bytes
    }

    /// Decodes one change set from bytes that came from the network or a file.
    ///
    /// The digest is computed and compared. So is the origin, unless the change set is marked as
    /// rewritten. The payload of a save is not decoded: ``decodedPayload()`` does that.
    ///
    /// - Parameters:
    ///   - bytes: Exactly one encoded change set.
    ///   - isChecked: Whether the origin is compared. Only a simulation that shows the need for it
    ///     passes `false`.
    ///   - reserve: Called before the context is allocated, with the number of its entries; false
    ///     if there is no memory for the change set.
    /// - Throws: ``ChangeSetDecodingError`` with the offset of the first byte that could not be
    ///   read. Nothing has been stored; ask the sender for the change set again.
    package init(
        decoding bytes: [UInt8], checkingDigest isChecked: Bool = true,
        reserving reserve: ((_ entryCount: Int) -> Bool)? = nil
    ) throws(ChangeSetDecodingError) {
        var reader = ByteReader(bytes)
        let version = try reader.readByte()
        guard version == Self.version else {
            throw reader.failure(
                .unsupportedVersion, "this version does not know version \(version) of change sets")
        }
        guard bytes.count <= Limits.largestChangeSet else {
            throw reader.failure(
                .limitExceeded, "the change set is larger than \(Limits.largestChangeSet) bytes")
        }
        var core = try reader.readNested()
        let encodedCore = try Self.copy(of: core)
        self = try Self.readCore(
            &core, then: &reader, digest: Digest(of: encodedCore), reserving: reserve)
        try reader.expectEnd()
        try checkForm()
        if isChecked { try checkOrigin(reader) }
    }

    private static func copy(of reader: ByteReader) throws(ChangeSetDecodingError) -> [UInt8] {
        var copy = reader
        return try copy.readRaw(copy.remaining)
    }

    private static func readCore(
        _ core: inout ByteReader, then reader: inout ByteReader, digest: Digest,
        reserving reserve: ((Int) -> Bool)?
    ) throws(ChangeSetDecodingError) -> ChangeSet {
        let kind = LogEntryKind(rawValue: try core.readByte())
        guard kind.isKnown else {
            throw core.failure(
                .unsupportedVersion, "this version does not know entries of kind \(kind)")
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
            throw reader.failure(.digestMismatch, "the digest of \(dot) does not match its bytes")
        }
        return ChangeSet(
            fromLog: kind, dot: dot, timestamp: timestamp, author: author, name: name,
            payload: payload, rewrittenFrom: rewrittenFrom, previousOrigin: previousOrigin,
            origin: origin, digest: digest,
            context: try reader.readContext(reserving: reserve))
    }

    private func checkOrigin(_ reader: ByteReader) throws(ChangeSetDecodingError) {
        guard rewrittenFrom == nil else { return }
        guard origin == Self.origin(previous: previousOrigin, digest: try savedDigest()) else {
            throw reader.failure(.digestMismatch, "the origin of \(dot) does not match its bytes")
        }
    }
}
