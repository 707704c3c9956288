extension LogEntryKind {
    /// Whether this version reads entries of the kind.
    var isKnown: Bool {
        switch self {
        case .save, .saveInParts, .void, .lost: true
        default: false
        }
    }
}

/// What the entries of each kind look like, and what their origin is the digest of.
extension ChangeSet {
    /// - Throws: `malformed` where the fields are not those of the kind.
    func checkForm() throws(ChangeSetDecodingError) {
        switch kind {
        case .void: _ = try Rejection.decode(payload)
        case .saveInParts: _ = try PartList(decoding: payload)
        case .lost:
            guard self == ChangeSet(lost: dot, context: context) else {
                throw ByteReader([]).failure(.malformed, "\(dot) is lost and says more than that")
            }
        default: break
        }
    }

    /// Whether the digest travels beside the core: the origin is of the bytes that were saved
    /// first, which these are not.
    var saysDigest: Bool { rewrittenFrom != nil || kind == .void }

    /// What the origin of a set that is not rewritten covers beside its previous origin: the bytes
    /// as they were saved.
    func savedDigest() throws(ChangeSetDecodingError) -> Digest {
        kind == .void ? try Rejection.decode(payload).digest : digest
    }

    /// The entry that takes a save's place in a log: it keeps dot, time and origin, so that the
    /// chain of its replica goes on.
    ///
    /// Whoever has the save and knows the rejection arrives at the same bytes.
    public init(voiding set: ChangeSet, for rejection: Rejection) {
        let payload = rejection.encoded(of: set.digest)
        self.init(
            fromLog: .void, dot: set.dot, timestamp: set.timestamp, author: "", name: "",
            payload: payload, rewrittenFrom: set.rewrittenFrom,
            previousOrigin: set.previousOrigin, origin: set.origin,
            digest: Digest(
                of: Self.core(
                    kind: .void, dot: set.dot, timestamp: set.timestamp, author: "", name: "",
                    payload: payload, rewrittenFrom: set.rewrittenFrom)),
            context: set.context)
    }

    /// The entry that counts as held in the place of a save that nobody can supply.
    ///
    /// It follows from its dot alone, so that all who declare the same save lost write the same
    /// entry. Its origin is not the save's: whoever offers that later holds another branch of a
    /// history that forked.
    public init(lost dot: Dot) { self.init(lost: dot, context: .empty) }

    fileprivate init(lost dot: Dot, context: CausalContext) {
        let digest = Digest(
            of: Self.core(
                kind: .lost, dot: dot, timestamp: .zero, author: "", name: "", payload: [],
                rewrittenFrom: nil))
        self.init(
            fromLog: .lost, dot: dot, timestamp: .zero, author: "", name: "", payload: [],
            rewrittenFrom: nil, previousOrigin: .zero,
            origin: Self.origin(previous: .zero, digest: digest), digest: digest, context: context)
    }

    /// Why the save was rejected; `nil` for an entry that is no void.
    public var rejection: Rejection? {
        kind == .void ? (try? Rejection.decode(payload))?.rejection : nil
    }
}

extension CausalContext.Entry {
    /// Whether what was held is an entry that stands for a lost save: it was no cause of anything,
    /// so whatever has the dot now stands for it as well.
    public var namesLoss: Bool { originPrefix == ChangeSet(lost: dot).origin.prefix }
}
