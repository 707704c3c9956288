import AnabranchProtocol
import AnabranchReplication

extension ZoneReading {
    /// Converts a cursor of an earlier epoch to the same position in the present epoch.
    ///
    /// - Returns: `nil` if the cursor is not of this log: its epoch is unknown, its position is
    ///   beyond the part that the epochs share, or its running digest differs.
    func presentForm(of cursor: LogCursor, in log: LogState) throws -> LogCursor? {
        let reach = log.history.reach(of: cursor.epoch, head: log.head.position)
        guard let reach, cursor.position <= reach else { return nil }
        guard let held = try self.cursor(at: cursor.position) else { return nil }
        let isSame = held.digestHigh == cursor.digestHigh && held.digestLow == cursor.digestLow
        return isSame ? held : nil
    }

    /// The origin that the zone holds under the client's last sequence number.
    ///
    /// If the zone's own last number is less, it is the origin under that one.
    func origin(
        of replica: ReplicaID, last: HelloRequest.Head?, head: ReplicaHead?
    ) throws -> Digest? {
        guard let head else { return nil }
        guard let last, last.sequence < head.sequence else { return head.origin }
        guard last.sequence > 0 else { return nil }
        return try place(of: Dot(replica: replica, sequence: last.sequence))?.origin
    }
}
