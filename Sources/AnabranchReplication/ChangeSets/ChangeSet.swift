/// One save: who, when, knowing what, and what it changed; or what stands for one in a log
/// (``LogEntryKind``).
///
/// The chain of origins is a replica's true history. A set's origin is the digest of the previous
/// set's origin and of the set as it was first saved; it stays whatever later happens to dot,
/// timestamp or bytes. One origin is one save (invariant 3). The digest is of the bytes as they
/// are now.
public struct ChangeSet: Hashable, Sendable {
    public let kind: LogEntryKind
    public let dot: Dot
    /// Of every write of the save.
    public let timestamp: HybridTimestamp
    /// Who saved, as the app says (`transactionAuthor`); empty where it says nothing.
    public let author: String
    /// What the save was for, as the app says (the context's name); empty where it says nothing.
    public let name: String
    /// Of a save the encoded ``ChangePayload``, of one in parts the ``PartList``.
    public let payload: [UInt8]
    /// The dot under which the set was first saved, where it has been renamed or restamped since.
    public let rewrittenFrom: Dot?
    /// The origin of its author's previous set; ``Digest/zero`` for the first.
    public let previousOrigin: Digest
    public let origin: Digest
    /// Of the bytes as they are: kind, dot, timestamp, author, name, payload.
    public let digest: Digest
    /// What the author held; no part of the digest.
    public var context: CausalContext

    public var stamp: Stamp { Stamp(timestamp: timestamp, replica: dot.replica) }

    /// Makes the set of a save that happens now.
    ///
    /// - Parameter kind: ``LogEntryKind/save``, or ``LogEntryKind/saveInParts`` where the payload
    ///   is a list of parts.
    public init(
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
        let core = Self.core(
            kind: kind, dot: dot, timestamp: timestamp, author: author, name: name,
            payload: payload, rewrittenFrom: nil)
        digest = Digest(of: core)
        origin = Self.origin(previous: previousOrigin, digest: digest)
    }

    /// Puts a set together from the columns of a log, which has checked it when it took it in.
    public init(
        fromLog kind: LogEntryKind, dot: Dot, timestamp: HybridTimestamp, author: String,
        name: String, payload: [UInt8], rewrittenFrom: Dot?, previousOrigin: Digest,
        origin: Digest, digest: Digest, context: CausalContext
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
        self.digest = digest
        self.context = context
    }

    /// Gives a set another name or time, or other names to what it mentions.
    ///
    /// The chain of origins stays: it is the same save. One that comes out as it was first saved
    /// is that again, without a mark, so that it is the same set as everywhere else.
    init(
        rewriting set: ChangeSet, dot: Dot, timestamp: HybridTimestamp, payload: [UInt8],
        context: CausalContext
    ) {
        func digest(from first: Dot?) -> Digest {
            Digest(
                of: Self.core(
                    kind: set.kind, dot: dot, timestamp: timestamp, author: set.author,
                    name: set.name, payload: payload, rewrittenFrom: first))
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
        var builder = DigestBuilder()
        builder.update(previous)
        builder.update(digest)
        return builder.finish()
    }

    /// The digest of the bytes as they are, computed anew.
    public func computedDigest() -> Digest {
        Digest(
            of: Self.core(
                kind: kind, dot: dot, timestamp: timestamp, author: author, name: name,
                payload: payload, rewrittenFrom: rewrittenFrom))
    }

    /// What the set changes, which is nothing for all but a save.
    ///
    /// - Throws: `inParts` for a save in parts: ``forEachBlock(_:_:)`` reads it.
    public func decodedPayload() throws(ChangeSetDecodingError) -> ChangePayload {
        guard kind != .saveInParts else {
            throw ByteReader([]).failure(.inParts, "\(dot) is a save in parts")
        }
        guard kind == .save else { return ChangePayload(blocks: []) }
        return try ChangePayload(decoding: payload, author: dot.replica)
    }

    static func core(
        kind: LogEntryKind, dot: Dot, timestamp: HybridTimestamp, author: String, name: String,
        payload: [UInt8], rewrittenFrom: Dot?
    ) -> [UInt8] {
        var core = ByteWriter(reservingCapacity: payload.count + author.utf8.count + 64)
        core.append(byte: kind.rawValue)
        core.append(byte: rewrittenFrom == nil ? 0 : 1)
        core.append(dot: dot)
        core.append(fixed64: timestamp.rawValue)
        if let rewrittenFrom { core.append(dot: rewrittenFrom) }
        core.append(string: author)
        core.append(string: name)
        core.append(block: payload)
        return core.bytes
    }
}
