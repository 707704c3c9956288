/// One entry of a log: a save with its author, time, causes and changes, or an entry that takes the
/// place of a save (``LogEntryKind``).
///
/// The origin is a digest over the previous change set's origin and this change set as it was first
/// saved. It stays the same when the change set later gets another dot, timestamp or bytes, so one
/// origin is one save (invariant 3). The chain of origins therefore identifies a replica's history,
/// even after a renaming. In contrast, the digest covers the present bytes.
package struct ChangeSet: Hashable, Sendable {
    /// The kind of the entry: a save, a void, or a change set declared lost.
    package let kind: LogEntryKind
    /// The name of the change set: its replica and its number among that replica's saves.
    package let dot: Dot
    /// The time of every write of the save.
    package let timestamp: HybridTimestamp
    /// The author that the app set (`transactionAuthor`), or an empty string.
    package let author: String
    /// The purpose of the save as the app set it (the context's name), or an empty string.
    package let name: String
    /// The changes: an encoded ``ChangePayload``, or the ``PartList`` of a save in parts.
    package let payload: [UInt8]
    /// The dot under which the change set was first saved. It is `nil` unless the change set was
    /// renamed or restamped since.
    package let rewrittenFrom: Dot?
    /// The origin of the previous change set of this replica, or ``Digest/zero`` for the first.
    package let previousOrigin: Digest
    /// The digest that identifies this save for ever.
    package let origin: Digest
    /// The digest of the present bytes: kind, dot, timestamp, author, name and payload.
    package let digest: Digest
    /// The change sets that the author held. The digest does not cover it.
    package var context: CausalContext

    /// The stamp of every write of the save.
    package var stamp: Stamp { Stamp(timestamp: timestamp, replica: dot.replica) }

    /// Creates the change set of a new save.
    ///
    /// - Parameters:
    ///   - payload: The encoded changes, or the encoded list of parts.
    ///   - kind: ``LogEntryKind/save``, or ``LogEntryKind/saveInParts`` if the payload is a list of
    ///     parts.
    ///   - dot: The replica and its next sequence number.
    ///   - timestamp: A time later than every time that the author has seen.
    ///   - previousOrigin: The origin of the replica's previous change set, or ``Digest/zero``.
    ///   - context: The change sets that the author holds.
    package init(
        saving payload: [UInt8], as kind: LogEntryKind = .save, dot: Dot,
        timestamp: HybridTimestamp, author: String = "", name: String = "",
        previousOrigin: Digest, context: CausalContext
    ) {
        self.kind = kind
        self.dot = dot
        self.timestamp = timestamp
        self.author = author
        self.name = name
        self.payload = payload
        rewrittenFrom = nil
        self.previousOrigin = previousOrigin
        self.context = context
        digest = Self.digest(
            kind: kind, dot: dot, timestamp: timestamp, author: author, name: name,
            payload: payload, rewrittenFrom: nil)
        origin = Self.origin(previous: previousOrigin, digest: digest)
    }

    /// Creates a change set from the columns of a log, which checked it when it was stored.
    ///
    /// - Parameter digest: The digest of its present bytes; `nil` computes it.
    package init(
        fromLog kind: LogEntryKind, dot: Dot, timestamp: HybridTimestamp, author: String,
        name: String, payload: [UInt8], rewrittenFrom: Dot?, previousOrigin: Digest,
        origin: Digest, digest: Digest?, context: CausalContext
    ) {
        self.kind = kind
        self.dot = dot
        self.timestamp = timestamp
        self.author = author
        self.name = name
        self.payload = payload
        self.rewrittenFrom = rewrittenFrom
        self.previousOrigin = previousOrigin
        self.origin = origin
        self.context = context
        self.digest =
            digest
            ?? Self.digest(
                kind: kind, dot: dot, timestamp: timestamp, author: author, name: name,
                payload: payload, rewrittenFrom: rewrittenFrom)
    }

    /// Creates a change set with another dot, time or payload.
    ///
    /// The origin stays the same: it is the same save. If the result equals the change set as it
    /// was first saved, it is not marked as rewritten. Then all replicas have the same bytes.
    init(
        rewriting set: ChangeSet, dot: Dot, timestamp: HybridTimestamp, payload: [UInt8],
        context: CausalContext
    ) {
        func digest(from first: Dot?) -> Digest {
            Self.digest(
                kind: set.kind, dot: dot, timestamp: timestamp, author: set.author,
                name: set.name, payload: payload, rewrittenFrom: first)
        }
        var first: Dot? = set.rewrittenFrom ?? set.dot
        if first == dot, set.kind.isSave,
            Self.origin(previous: set.previousOrigin, digest: digest(from: nil)) == set.origin
        {
            first = nil
        }
        self.init(
            fromLog: set.kind, dot: dot, timestamp: timestamp, author: set.author, name: set.name,
            payload: payload, rewrittenFrom: first, previousOrigin: set.previousOrigin,
            origin: set.origin, digest: digest(from: first), context: context)
    }

    static func origin(previous: Digest, digest: Digest) -> Digest {
        Digest(of: previous, digest)
    }

    /// Computes the digest of the present bytes again.
    package func computedDigest() -> Digest {
        Self.digest(
            kind: kind, dot: dot, timestamp: timestamp, author: author, name: name,
            payload: payload, rewrittenFrom: rewrittenFrom)
    }

    /// Decodes the changes of the save. An entry that is no save has none.
    ///
    /// - Throws: ``ChangeSetDecodingError`` with code `inParts` for a save in parts, which
    ///   ``forEachBlock(_:reserving:_:)`` reads. Other codes mean that the payload is damaged.
    package func decodedPayload() throws(ChangeSetDecodingError) -> ChangePayload {
        guard kind != .saveInParts else {
            throw ByteReader([]).failure(.inParts, "\(dot) is a save in parts")
        }
        guard kind == .save else { return ChangePayload(blocks: []) }
        return try ChangePayload(decoding: payload, author: dot.replica)
    }

    static func digest(
        kind: LogEntryKind, dot: Dot, timestamp: HybridTimestamp, author: String, name: String,
        payload: [UInt8], rewrittenFrom: Dot?
    ) -> Digest {
        let head = head(
            kind: kind, dot: dot, timestamp: timestamp, author: author, name: name,
            payloadCount: payload.count, rewrittenFrom: rewrittenFrom)
        return Digest(of: head.bytes, payload)
    }

    /// The bytes that the digest covers before those of the payload.
    static func head(
        kind: LogEntryKind, dot: Dot, timestamp: HybridTimestamp, author: String, name: String,
        payloadCount: Int, rewrittenFrom: Dot?
    ) -> ByteWriter {
        var head = ByteWriter(reservingCapacity: author.utf8.count + name.utf8.count + 80)
        head.append(byte: kind.rawValue)
        head.append(byte: rewrittenFrom == nil ? 0 : 1)
        head.append(dot: dot)
        head.append(fixed64: timestamp.rawValue)
        if let rewrittenFrom { head.append(dot: rewrittenFrom) }
        head.append(string: author)
        head.append(string: name)
        head.append(count: payloadCount)
        return head
    }
}
