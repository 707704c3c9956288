/// What the author of a change set held when it saved.
///
/// A client's knowledge of a zone is a prefix of the zone's log and its own saves. So the context
/// names the prefix, and beyond it only those sets that are neither in the prefix nor earlier
/// saves of the same replica: from a bundle, another server, or one of the client's own former
/// replica IDs. Its size does not grow with the number of replicas.
///
/// The context is no part of a change set's digest: whoever carries the set to another log
/// rewrites it for that log.
public struct CausalContext: Hashable, Sendable {
    /// A prefix of a zone's log.
    public struct Prefix: Hashable, Sendable {
        public var epoch: EpochID
        /// The position of its last entry, below 2^53; zero for the empty prefix.
        public var position: UInt64

        public init(epoch: EpochID, position: UInt64) {
            self.epoch = epoch
            self.position = position
        }
    }

    /// The head of a replica that is held beyond the prefix.
    public struct Entry: Hashable, Sendable {
        public var dot: Dot
        /// The first eight bytes of the origin of the set that the dot names, so that another
        /// branch of a forked history is not taken for the one that was held.
        public var originPrefix: UInt64

        public init(dot: Dot, originPrefix: UInt64) {
            self.dot = dot
            self.originPrefix = originPrefix
        }
    }

    /// `nil` while the author has never held anything of a zone's log.
    public var prefix: Prefix?
    /// In the order of the replicas' bytes, at most one entry a replica.
    public let beyond: [Entry]

    /// - Parameter beyond: Of several entries of one replica the highest sequence number stays:
    ///   whoever holds it holds the earlier ones.
    public init(prefix: Prefix? = nil, beyond: [Entry] = []) {
        self.prefix = prefix
        let sorted = beyond.sorted { $0.dot < $1.dot }
        self.beyond = sorted.indices.filter { index in
            index + 1 == sorted.count || sorted[index].dot.replica < sorted[index + 1].dot.replica
        }.map { sorted[$0] }
    }

    public static let empty = CausalContext()
}
