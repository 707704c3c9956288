import AnabranchReplication
import AnabranchSQLite

/// A change set that the zone may lack after it has gone back.
private struct RetractedSet {
    let entry: CausalContext.Entry
    /// The change set before it, if the log may lack that.
    let previous: CausalContext.Entry?
    /// The position that it had in the zone's log; `nil` if the zone did not have it yet.
    let place: UInt64?
}

/// A change set that is pushed again, without its payload.
private struct RepushedSet {
    let retracted: RetractedSet
    let localPosition: Int64
    let context: CausalContext
}

/// A change set, and the first position in the zone's former log from which on an author may have
/// seen it.
private struct Sighting {
    let entry: CausalContext.Entry
    let position: UInt64
}

extension StateTransaction {
    /// Rewrites the contexts of change sets that are pushed again for another log. They name the
    /// prefix that both logs share, and individually what their authors had seen beyond it.
    func rewriteContexts(for cursor: LogCursor) throws {
        let sets = try repushedSets(behind: cursor.position)
        var sightings = try sightings(behind: cursor.position, of: sets)[...]
        var heads: [ReplicaID: CausalContext.Entry] = [:]
        let byPrefix = sets.filter { $0.context.prefix != nil }.sorted {
            ($0.context.prefix?.position ?? 0) < ($1.context.prefix?.position ?? 0)
        }
        for set in byPrefix {
            let held = set.context.prefix?.position ?? 0
            while let sighting = sightings.first, sighting.position <= held {
                heads[sighting.entry.dot.replica] = sighting.entry
                sightings = sightings.dropFirst()
            }
            let author = set.retracted.entry.dot.replica
            let context = CausalContext(
                prefix: .init(epoch: cursor.epoch, position: min(held, cursor.position)),
                beyond: set.context.beyond + heads.values.filter { $0.dot.replica != author })
            try log.replaceContext(ofEntryAt: set.localPosition, by: context)
        }
    }

    /// Finds from which position on the authors of change sets may have seen others, in ascending
    /// order of positions.
    ///
    /// The place of a change set is known if the log has it, or still had it when it was trimmed.
    /// Others are in gaps of this file's copy of the zone's log. An author that may have seen such
    /// a change set names it as a cause. Otherwise the zone might order the two differently from
    /// this file. An author that had seen only entries before the first gap in question cannot have
    /// seen it. If it nevertheless named it, the two might wait for each other forever.
    private func sightings(
        behind position: UInt64, of sets: [RepushedSet]
    ) throws -> [Sighting] {
        let known = try sets.map(\.retracted) + trimmedSets(behind: position)
        let gaps = Self.gaps(between: known.compactMap(\.place).sorted(), behind: position)
        let histories = Dictionary(grouping: known) { $0.entry.dot.replica }
        var sightings: [Sighting] = []
        for (replica, head) in try removedHeads() {
            guard histories[replica]?.contains(where: { $0.entry.dot == head.dot }) != true else {
                continue
            }
            let last = histories[replica]?.compactMap(\.place).max() ?? position
            sightings.append(Sighting(entry: head, position: gaps.first(behind: last)))
        }
        for history in histories.values {
            var last = (dot: Dot?.none, place: position)
            for set in history.sorted(by: { $0.entry.dot < $1.entry.dot }) {
                let gap = gaps.first(behind: last.place)
                if let previous = set.previous, previous.dot != last.dot, gap < set.place ?? .max {
                    sightings.append(Sighting(entry: previous, position: gap))
                }
                if let place = set.place {
                    sightings.append(Sighting(entry: set.entry, position: place))
                }
                last = (set.entry.dot, set.place ?? last.place)
            }
        }
        return sightings.sorted { ($0.position, $0.entry.dot) < ($1.position, $1.entry.dot) }
    }

    /// The gaps between ascending places in the zone's log behind a position: the first position of
    /// each gap. The last element is the position after all places.
    private static func gaps(between places: [UInt64], behind position: UInt64) -> [UInt64] {
        var gaps: [UInt64] = []
        var next = position + 1
        for place in places where place >= next {
            if place > next { gaps.append(next) }
            next = place + 1
        }
        return gaps + [next]
    }

    // MARK: - Reading

    /// The change sets of the log that the zone had after a position, or is not known to have had.
    private func repushedSets(behind position: UInt64) throws -> [RepushedSet] {
        let statement = try connection.cached(
            """
            SELECT c.position, r.id, c.seq, c.origin, c.server_position, c.context,
            c.previous_origin FROM ab_changeset c JOIN ab_head r ON r.ordinal = c.replica
            WHERE \(ChangeLog.isUnplaced) OR c.server_position > ? ORDER BY c.position
            """, Int64(clamping: position))
        var sets: [RepushedSet] = []
        while try statement.step() {
            guard let replica = ReplicaID(bytes: statement.bytes(at: 1)),
                let origin = Digest(bytes: statement.bytes(at: 3))
            else {
                throw StoreError(
                    .corrupt,
                    "Can't read entry \(statement.int64(at: 0)) of the log because it is damaged. "
                        + "Restore a backup.")
            }
            var context = ByteReader(statement.bytes(at: 5))
            let dot = Dot(replica: replica, sequence: try statement.sequence(at: 2))
            let previous = Digest(bytes: statement.bytes(at: 6))
            sets.append(
                RepushedSet(
                    retracted: RetractedSet(
                        entry: .init(dot: dot, originPrefix: origin.prefix),
                        previous: previous.flatMap { previous in
                            dot.predecessor.map { .init(dot: $0, originPrefix: previous.prefix) }
                        },
                        place: statement.isNull(at: 4) ? nil : try statement.zonePosition(at: 4)),
                    localPosition: statement.int64(at: 0),
                    context: statement.isNull(at: 5) ? CausalContext() : try context.readContext()))
        }
        return sets
    }

    /// The trimmed change sets that had a place in the zone's log after a position.
    private func trimmedSets(behind position: UInt64) throws -> [RetractedSet] {
        let statement = try connection.cached(
            """
            SELECT r.id, s.seq, s.server_position, CASE s.seq WHEN r.seen THEN r.origin END
            FROM ab_stamp s JOIN ab_head r ON r.ordinal = s.replica WHERE s.server_position > ?
            """, Int64(clamping: position))
        var sets: [RetractedSet] = []
        while try statement.step() {
            guard let replica = ReplicaID(bytes: statement.bytes(at: 0)) else { continue }
            let dot = Dot(replica: replica, sequence: try statement.sequence(at: 1))
            let origin = Digest(bytes: statement.bytes(at: 3))
            sets.append(
                RetractedSet(
                    entry: origin.map { .init(dot: dot, originPrefix: $0.prefix) }
                        ?? .init(ofUnknownOrigin: dot),
                    previous: dot.predecessor.map { .init(ofUnknownOrigin: $0) },
                    place: try statement.zonePosition(at: 2)))
        }
        return sets
    }

    /// The last change set of each replica, where this file's log does not have it.
    private func removedHeads() throws -> [ReplicaID: CausalContext.Entry] {
        let statement = try connection.cached(
            """
            SELECT id, seen, origin FROM ab_head r WHERE seen > 0 AND NOT EXISTS
            (SELECT 1 FROM ab_changeset WHERE replica = r.ordinal AND seq = r.seen)
            """)
        var heads: [ReplicaID: CausalContext.Entry] = [:]
        while try statement.step() {
            guard let replica = ReplicaID(bytes: statement.bytes(at: 0)),
                let origin = Digest(bytes: statement.bytes(at: 2))
            else { continue }
            heads[replica] = CausalContext.Entry(
                dot: Dot(replica: replica, sequence: try statement.sequence(at: 1)),
                originPrefix: origin.prefix)
        }
        return heads
    }
}

extension [UInt64] {
    /// The first of ascending numbers that is greater than a position; the last number if none is.
    fileprivate func first(behind position: UInt64) -> UInt64 {
        self[Swift.min(partitioningIndex { $0 > position }, count - 1)]
    }
}
