import AnabranchProtocol
import AnabranchReplication

extension ZoneReading {
    /// The same place as the present epoch names it.
    ///
    /// - Returns: `nil` where the cursor is not of this log: an unknown epoch, a position beyond
    ///   what the epochs share, or another running digest.
    func presentForm(of cursor: LogCursor, in log: LogState) throws -> LogCursor? {
        let reach = log.history.reach(of: cursor.epoch, head: log.head.position)
        guard let reach, cursor.position <= reach else { return nil }
        guard let held = try self.cursor(at: cursor.position) else { return nil }
        let isSame = held.digestHigh == cursor.digestHigh && held.digestLow == cursor.digestLow
        return isSame ? held : nil
    }

    /// The origin that the zone holds under a client's last sequence number, or under its own
    /// last one where that is less.
    func origin(
        of replica: ReplicaID, last: HelloRequest.Head?, head: ReplicaHead?
    ) throws -> Digest? {
        guard let head else { return nil }
        guard let last, last.sequence < head.sequence else { return head.origin }
        guard last.sequence > 0 else { return nil }
        return try place(of: Dot(replica: replica, sequence: last.sequence))?.origin
    }
}
