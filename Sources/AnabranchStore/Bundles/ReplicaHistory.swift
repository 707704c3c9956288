import AnabranchReplication

/// What one file has of one replica: its sets up to the last that is held, the earlier ones
/// perhaps only beneath a snapshot.
struct ReplicaHistory {
    /// What the file's log says of one set.
    struct LoggedSet {
        let sequence: UInt64
        let origin: UInt64
        /// `nil` for an entry that does not know it.
        let previousOrigin: UInt64?
        /// Where the zone's log has it; `max` where that is not known.
        var place: UInt64
    }

    /// The last set that is held.
    let head: CausalContext.Entry
    /// The last set that the log does not have, with those before it; `nil` where it has all.
    private(set) var base: CausalContext.Entry?
    /// Those behind the base, without gaps.
    private var sets: [LoggedSet] = []

    init(head: CausalContext.Entry) { self.head = head }

    // MARK: - Reading the log

    /// Takes the log's next set. A snapshot stands for what lies before a gap; what lies behind
    /// the head is not held.
    mutating func append(_ set: LoggedSet) {
        guard set.sequence <= head.dot.sequence else { return }
        if let last = sets.last, set.sequence != last.sequence + 1 { sets.removeAll() }
        sets.append(set)
    }

    /// Says that the log has no more.
    mutating func close() {
        guard let first = sets.first, sets.last?.sequence == head.dot.sequence else {
            sets.removeAll()
            base = head
            return
        }
        // Whatever stands before a set of the zone's log is in it, too, though this file may not
        // have been told yet.
        for index in sets.indices.dropLast().reversed() {
            sets[index].place = min(sets[index].place, sets[index + 1].place)
        }
        guard first.sequence > 1 else { return }
        let dot = Dot(replica: head.dot.replica, sequence: first.sequence - 1)
        // Before a loss there may have been anything, which is what one that names a loss means.
        base = CausalContext.Entry(
            dot: dot, originPrefix: first.previousOrigin ?? ChangeSet(lost: dot).origin.prefix)
    }

    /// Leaves to the base what lies in the zone's log up to a position.
    mutating func raiseBase(to position: UInt64) {
        let count = sets.partition { $0.place <= position }
        guard count > 0 else { return }
        base = entry(sets[count - 1])
        sets.removeFirst(count)
    }

    private func entry(_ set: LoggedSet) -> CausalContext.Entry {
        let dot = Dot(replica: head.dot.replica, sequence: set.sequence)
        return CausalContext.Entry(dot: dot, originPrefix: set.origin)
    }

    // MARK: - Questions

    /// Whether the log has a set, and all of the replica's behind it.
    func reaches(_ sequence: UInt64) -> Bool {
        sequence > base?.dot.sequence ?? 0 && sequence <= head.dot.sequence
    }

    /// The last set that lies in the zone's log up to a position, and at least the base.
    func last(upTo position: UInt64) -> CausalContext.Entry? {
        let count = sets.partition { $0.place <= position }
        return count > 0 ? entry(sets[count - 1]) : base
    }

    /// How many sets somebody has who holds a head: none where it is of another history.
    func count(heldBy other: BundleBase.Head) -> UInt64 {
        let known = min(other.dot.sequence, head.dot.sequence)
        guard known == other.dot.sequence, let prefix = other.originPrefix,
            let own = origin(of: known)
        else { return known }
        return own == prefix ? known : 0
    }

    /// `nil` where it is not known.
    private func origin(of sequence: UInt64) -> UInt64? {
        if let base, sequence <= base.dot.sequence {
            return sequence == base.dot.sequence ? base.originPrefix : nil
        }
        guard let first = sets.first, sequence >= first.sequence else { return nil }
        return sets[Int(sequence - first.sequence)].origin
    }
}

extension Array {
    /// How many of the elements fulfil a condition that holds for the first ones only.
    fileprivate func partition(_ isFirst: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isFirst(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
