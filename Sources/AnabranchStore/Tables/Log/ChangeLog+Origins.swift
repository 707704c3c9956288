import AnabranchReplication
import AnabranchSQLite

// An index of origins, which are random bytes, would be a page of every save. The name under which
// a save was first saved finds its entry too: the entry has that name, or says that it had it.
extension ChangeLog {
    /// The local position of the entry with the origin of a change set; `nil` if the log has none.
    func position(of set: ChangeSet) throws -> Int64? {
        try position(of: set.origin, firstSavedAs: set.rewrittenFrom ?? set.dot)
    }

    /// The local position of the entry that a change set names as its predecessor; `nil` if the log
    /// does not have it.
    func position(ofPredecessorOf set: ChangeSet) throws -> Int64? {
        try position(of: set.previousOrigin, before: set.rewrittenFrom ?? set.dot)
    }

    /// - Parameter dot: The name under which the successor was first saved.
    private func position(of origin: Digest, before dot: Dot) throws -> Int64? {
        guard origin != .zero else { return nil }
        if let previous = dot.predecessor,
            let position = try position(of: origin, firstSavedAs: previous)
        {
            return position
        }
        // The predecessor was renamed more than once. That is rare, so the whole log is read.
        let found = try connection.firstValue(
            "SELECT position FROM ab_changeset WHERE origin = ?", .blob(origin.bytes))
        if case .integer(let position)? = found { return position }
        return nil
    }

    private func position(of origin: Digest, firstSavedAs dot: Dot) throws -> Int64? {
        let statement = try connection.cached(
            """
            SELECT position FROM ab_changeset WHERE replica = ?1 AND seq = ?2 AND origin = ?3
            UNION ALL SELECT position FROM ab_changeset WHERE rewritten = ?4 AND origin = ?3
            """)
        var name = ByteWriter()
        name.append(dot: dot)
        if let ordinal = replicas.ordinal(of: dot.replica) {
            try statement.bind(ordinal, at: 1)
        } else {
            try statement.bindNull(at: 1)
        }
        try statement.bind(Int64(bitPattern: dot.sequence), origin.bytes, name.bytes, from: 2)
        guard try statement.step() else { return nil }
        return try statement.amount(at: 0)
    }

    /// True if a branch continues the history of a replica at or after a change set.
    ///
    /// The branch may have left that history directly, or by way of other branches.
    func continues(_ replica: ReplicaID, behind dot: Dot) throws -> Bool {
        let history = replicas.ordinal(of: dot.replica)
        var followed: Set<Int64> = []
        var next = replicas.ordinal(of: replica)
        while let ordinal = next, followed.insert(ordinal).inserted {
            guard let point = try knownBranchPoint(of: ordinal) else { return false }
            if point.ordinal == history { return dot.sequence <= point.sequence }
            next = point.ordinal
        }
        return false
    }

    private func knownBranchPoint(of ordinal: Int64) throws -> KnownLog.BranchPoint? {
        guard let known else { return try branchPoint(of: ordinal) }
        return try known.branchPoint(of: ordinal) { try branchPoint(of: ordinal) }
    }

    private func branchPoint(of ordinal: Int64) throws -> KnownLog.BranchPoint? {
        guard let replica = replicas[ordinal],
            let first = try entry(named: Dot(replica: replica, sequence: 1))?.changeSet,
            let position = try position(ofPredecessorOf: first)
        else { return nil }
        return try connection.cached(
            "SELECT replica, seq FROM ab_changeset WHERE position = ?", position
        ).first { ($0.int64(at: 0), UInt64($0.int64(at: 1).magnitude)) }
    }

    // MARK: - Digests that the log does not store

    /// The digest of the entry at a position; `nil` if there is none.
    func digest(at position: Int64) throws -> Digest? {
        let stored = try connection.firstValue(
            "SELECT digest FROM ab_changeset WHERE position = ?", .integer(position))
        if case .blob(let bytes)? = stored { return Digest(bytes: bytes) }
        return try entry(at: position)?.changeSet.digest
    }

    /// True if the digest of a change set is computed when it is needed: its bytes are few, and its
    /// origin shows whether they are right.
    static func isDigestComputed(of set: ChangeSet) -> Bool {
        set.kind.isSave && set.rewrittenFrom == nil && set.payload.count <= longestHashed
    }

    private static let longestHashed = 4096

    /// Stores the previous origins of an entry and of the one that continues it. Call this before
    /// the entry is removed, or gets another name.
    func keepOrigins(around position: Int64) throws {
        known?.forgetLastEntry()
        try connection.cached(
            """
            UPDATE ab_changeset AS c SET previous_origin = \(Self.previousOrigin)
            WHERE position = ? AND previous_origin IS NULL
            """, position
        ).run()
        try connection.cached(
            """
            UPDATE ab_changeset AS c SET previous_origin = e.origin
            FROM ab_changeset e WHERE e.position = ? AND c.replica = e.replica
            AND c.seq = e.seq + 1 AND c.previous_origin IS NULL
            """, position
        ).run()
    }
}
