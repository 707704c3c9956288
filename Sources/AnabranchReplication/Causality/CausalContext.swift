/// The change sets that the author of a change set held when it saved.
///
/// A client knows a prefix of the zone's log and its own saves. So the context names that prefix,
/// and beyond it only change sets that are neither in the prefix nor earlier saves of the same
/// replica. Those came from a bundle, from another server, or from a former replica ID of the
/// client. The size of a context does not grow with the number of replicas.
///
/// The digest of a change set does not cover its context. A program that carries the change set to
/// another log rewrites the context for that log.
package struct CausalContext: Hashable, Sendable {
    /// A prefix of a zone's log.
    package struct Prefix: Hashable, Sendable {
        package var epoch: EpochID
        /// The position of the prefix's last entry, below 2^53. Zero means the empty prefix.
        package var position: UInt64

        /// Creates a prefix of an epoch's log that ends with an entry.
        package init(epoch: EpochID, position: UInt64) {
            self.epoch = epoch
            self.position = position
        }
    }

    /// The last change set of one replica that the author held beyond the prefix.
    package struct Entry: Hashable, Sendable {
        /// The name of that change set.
        package var dot: Dot
        /// The first eight bytes of the change set's origin. They distinguish it from a change set
        /// with the same dot on another branch of a forked history.
        package var originPrefix: UInt64

        /// Creates an entry for one replica.
        package init(dot: Dot, originPrefix: UInt64) {
            self.dot = dot
            self.originPrefix = originPrefix
        }
    }

    /// The prefix of the zone's log that the author held, or `nil` if it held nothing of a log.
    ///
    /// The context of a change set in a bundle has no prefix: its entries alone say what the author
    /// held.
    package var prefix: Prefix?
    /// The entries beyond the prefix, ordered by replica ID, at most one for each replica.
    package let beyond: [Entry]

    /// Creates a context and sorts its entries.
    ///
    /// - Parameters:
    ///   - prefix: The prefix of the zone's log that the author held.
    ///   - beyond: Entries in any order. Of several entries of one replica, the one with the
    ///     highest sequence number is kept, because a replica's change sets are held without gaps.
    package init(prefix: Prefix? = nil, beyond: [Entry] = []) {
        self.prefix = prefix
        guard beyond.count > 1 else {
            self.beyond = beyond
            return
        }
        let sorted = beyond.sorted { $0.dot < $1.dot }
        self.beyond = sorted.indices.filter { index in
            index + 1 == sorted.count || sorted[index].dot.replica < sorted[index + 1].dot.replica
        }.map { sorted[$0] }
    }

    /// Creates a context of entries that are ordered by replica ID, one for each replica.
    init(prefix: Prefix?, ordered beyond: [Entry]) {
        self.prefix = prefix
        self.beyond = beyond
    }

    /// The last change set of a replica that the author held beyond the prefix, in logarithmic
    /// time; `nil` if it held none.
    package func last(of replica: ReplicaID) -> Dot? {
        let index = beyond.partitioningIndex { $0.dot.replica >= replica }
        guard index < beyond.endIndex, beyond[index].dot.replica == replica else { return nil }
        return beyond[index].dot
    }

    /// The context without a prefix and without entries: its author held nothing.
    package static let empty = CausalContext()
}
