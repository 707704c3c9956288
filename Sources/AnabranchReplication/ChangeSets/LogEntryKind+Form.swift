extension LogEntryKind {
    /// Indicates whether this version can read entries of this kind.
    var isKnown: Bool {
        switch self {
        case .save, .saveInParts, .void, .lost: true
        default: false
        }
    }
}

// The form of each kind of entry, and the bytes that its origin covers.
extension ChangeSet {
    /// Checks that the fields suit the kind of entry.
    ///
    /// - Throws: ``ChangeSetDecodingError`` if the payload is not that of a void or a list of
    ///   parts. The same holds for an entry for a lost change set that says more than its dot.
    func checkForm() throws(ChangeSetDecodingError) {
        switch kind {
        case .void: _ = try SaveRejection.decode(payload)
        case .saveInParts: _ = try PartList(decoding: payload)
        case .lost:
            guard self == ChangeSet(lost: dot, context: context) else {
                throw ByteReader([]).failure(
                    .malformed, "the entry for the lost change set \(dot) has further contents")
            }
        default: break
        }
    }

    /// Indicates whether the encoding contains the digest. It does if the origin covers other bytes
    /// than the present ones.
    var saysDigest: Bool { rewrittenFrom != nil || kind == .void }

    /// The digest that the origin covers beside the previous origin: that of the bytes as they were
    /// saved.
    func savedDigest() throws(ChangeSetDecodingError) -> Digest {
        kind == .void ? try SaveRejection.decode(payload).digest : digest
    }

    /// Creates the void that takes the place of a rejected save in a log.
    ///
    /// The void keeps dot, time and origin of the save, so the chain of its replica continues.
    /// Every program that has the save and the rejection computes the same bytes.
    package init(voiding set: ChangeSet, for rejection: SaveRejection) {
        let payload = rejection.encoded(of: set.digest)
        self.init(
            fromLog: .void, dot: set.dot, timestamp: set.timestamp, author: "", name: "",
            payload: payload, rewrittenFrom: set.rewrittenFrom,
            previousOrigin: set.previousOrigin, origin: set.origin,
            digest: Self.digest(
                kind: .void, dot: set.dot, timestamp: set.timestamp, author: "", name: "",
                payload: payload, rewrittenFrom: set.rewrittenFrom),
            context: set.context)
    }

    /// Creates the form of a save in which its content is one part beside the change set.
    ///
    /// The change set is small then, and the part is sent in pieces of any size. Dot, time and
    /// origin stay, so it is the same save. Every program that divides it computes the same bytes.
    ///
    /// - Parameters:
    ///   - set: A whole save (``LogEntryKind/save``).
    ///   - part: The part with the bytes of its payload.
    package init(dividing set: ChangeSet, into part: SavePart) {
        precondition(set.kind == .save, "only a whole save is divided")
        self.init(
            fromLog: .saveInParts, dot: set.dot, timestamp: set.timestamp, author: set.author,
            name: set.name, payload: PartList([part]).encoded(),
            rewrittenFrom: set.rewrittenFrom ?? set.dot, previousOrigin: set.previousOrigin,
            origin: set.origin, digest: nil, context: set.context)
    }

    /// Creates the entry for a change set declared lost, because no replica can supply it.
    ///
    /// The entry counts as held. It depends on the dot alone, so all replicas that declare the same
    /// change set lost write the same entry. Its origin differs from that of the save. If a replica
    /// offers the save later, that is another branch of a forked history.
    package init(lost dot: Dot) { self.init(lost: dot, context: .empty) }

    fileprivate init(lost dot: Dot, context: CausalContext) {
        let digest = Self.digest(
            kind: .lost, dot: dot, timestamp: .zero, author: "", name: "", payload: [],
            rewrittenFrom: nil)
        self.init(
            fromLog: .lost, dot: dot, timestamp: .zero, author: "", name: "", payload: [],
            rewrittenFrom: nil, previousOrigin: .zero,
            origin: Self.origin(previous: .zero, digest: digest), digest: digest, context: context)
    }

    /// The reason why the save was rejected, or `nil` if the entry is no void.
    package var rejection: SaveRejection? {
        kind == .void ? (try? SaveRejection.decode(payload))?.rejection : nil
    }
}

extension CausalContext.Entry {
    /// Indicates whether the entry names a change set declared lost. It caused nothing, so any
    /// change set with the same dot satisfies the context.
    package var namesLoss: Bool { self == Self(ofUnknownOrigin: dot) }

    /// Creates an entry for a change set of which only the name is known. Like the entry of a lost
    /// one, it is satisfied by any change set with that name.
    package init(ofUnknownOrigin dot: Dot) {
        self.init(dot: dot, originPrefix: ChangeSet(lost: dot).origin.prefix)
    }
}
