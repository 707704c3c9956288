import AnabranchReplication

/// One replica's change sets up to the last one held. A snapshot may include the earlier ones
/// instead of the log.
struct ReplicaHistory {
    /// One change set in the file's log.
    struct LoggedSet {
        let sequence: UInt64
        let origin: UInt64
        /// The previous origin; `nil` for an entry that does not know it.
        let previousOrigin: UInt64?
        /// The position in the zone's log; `max` if it is not known.
        var place: UInt64
    }

    /// The last change set that is held.
    let head: CausalContext.Entry
    /// The last change set that the log lacks, together with those before it; `nil` if the log has
    /// all.
    private(set) var base: CausalContext.Entry?
    /// The position of the replica's first change set in the zone's log; `nil` if it is not known.
    var firstPlace: UInt64?
    /// The change sets after the base, without gaps.
    private var sets: [LoggedSet] = []

    init(head: CausalContext.Entry) { self.head = head }

    // MARK: - Reading the log

    /// Adds the log's next change set. Everything before a gap is part of a snapshot; change sets
    /// after the head are not held.
    mutating func append(_ set: LoggedSet) {
        guard set.sequence <= head.dot.sequence else { return }
        if let last = sets.last, set.sequence != last.sequence + 1 { sets.removeAll() }
        sets.append(set)
    }

    /// Ends the history when the log has no more change sets.
    mutating func close() {
        guard let first = sets.first, sets.last?.sequence == head.dot.sequence else {
            sets.removeAll()
            base = head
            return
        }
        // The zone's log also has every predecessor of a change set that it has, although this file
        // may not know their positions yet.
        for index in sets.indices.dropLast().reversed() {
            sets[index].place = min(sets[index].place, sets[index + 1].place)
        }
        guard first.sequence > 1 else { return }
        let dot = Dot(replica: head.dot.replica, sequence: first.sequence - 1)
        // The history before a lost change set is unknown, which is what a head that names a lost
        // change set means.
        base =
            first.previousOrigin.map { .init(dot: dot, originPrefix: $0) }
            ?? .init(ofUnknownOrigin: dot)
    }

    /// Extends the base to the change sets that the zone's log has up to a position.
    mutating func raiseBase(to position: UInt64) {
        let count = sets.partitioningIndex { $0.place > position }
        guard count > 0 else { return }
        base = entry(sets[count - 1])
        sets.removeFirst(count)
    }

    private func entry(_ set: LoggedSet) -> CausalContext.Entry {
        let dot = Dot(replica: head.dot.replica, sequence: set.sequence)
        return CausalContext.Entry(dot: dot, originPrefix: set.origin)
    }

    // MARK: - Queries

    /// True if the log has a change set and all later ones of the replica.
    func reaches(_ sequence: UInt64) -> Bool {
        sequence > base?.dot.sequence ?? 0 && sequence <= head.dot.sequence
    }

    /// The last change set that the zone's log has up to a position; the base if that is unknown.
    func last(upTo position: UInt64) -> CausalContext.Entry? {
        let count = sets.partitioningIndex { $0.place > position }
        guard count == 0 else { return entry(sets[count - 1]) }
        if let firstPlace, position < firstPlace { return nil }
        return base
    }

    /// The number of this replica's change sets that a holder of a head has; zero if the head
    /// belongs to another history.
    func count(heldBy other: BundleBase.Head) -> UInt64 {
        let known = min(other.dot.sequence, head.dot.sequence)
        guard known == other.dot.sequence, let prefix = other.originPrefix,
            let own = origin(of: known)
        else { return known }
        return own == prefix ? known : 0
    }

    /// The origin of a change set; `nil` if it is not known.
    private func origin(of sequence: UInt64) -> UInt64? {
        if let base, sequence <= base.dot.sequence {
            return sequence == base.dot.sequence ? base.originPrefix : nil
        }
        guard let first = sets.first, sequence >= first.sequence else { return nil }
        return sets[Int(sequence - first.sequence)].origin
    }
}
