import AnabranchReplication
import AnabranchSQLite

/// Finds the positions by which rows name change sets, and assigns positions to change sets that
/// the log never had.
///
/// New positions follow those of the log, so each is assigned once (invariant 9). Call `finish()`
/// before anything else is added to the log.
final class StampPositions {
    private let log: ChangeLog
    private let stamps: LogStamps
    private let areZones: Bool
    private var known: [LocalStamp: Int64] = [:]
    private var next: Int64
    private var last: (stamp: LocalStamp, position: Int64)?

    private static let maximumKnown = 1 << 16

    /// Prepares the assignment of positions.
    ///
    /// - Parameter areZones: True if all stamps are of change sets that the zone holds.
    init(_ log: ChangeLog, stamps: LogStamps, areZones: Bool = false) throws {
        self.log = log
        self.stamps = stamps
        self.areZones = areZones
        next = max(try log.nextPosition(), (stamps.savedPosition ?? 0) + 1)
    }

    subscript(stamp: LocalStamp) -> Int64 {
        get throws {
            if let last, last.stamp == stamp { return last.position }
            let position =
                try known[stamp]
                ?? stamps.position(of: stamp, isZones: areZones) ?? keep(stamp)
            if known.count >= Self.maximumKnown { known.removeAll(keepingCapacity: true) }
            known[stamp] = position
            last = (stamp, position)
            return position
        }
    }

    /// Reserves a position that names no change set and is greater than all positions so far.
    func reserve() -> Int64 {
        defer { next += 1 }
        return next
    }

    private func keep(_ stamp: LocalStamp) throws -> Int64 {
        let position = reserve()
        try log.connection.cached(
            "INSERT INTO ab_stamp (position, hlc, replica) VALUES (?, ?, ?)", position,
            stamp
        ).run()
        return position
    }

    func finish() throws {
        if try log.nextPosition() < next { log.reservePositions(through: next - 1) }
    }
}
