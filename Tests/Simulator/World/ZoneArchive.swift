import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import Synchronization
import TestSupport

/// Every entry that the zone's log ever had, for the oracles.
///
/// A log is only read on from the last position that was read, so no entry is read twice.
final class ZoneArchive: Sendable {
    /// The entries that were read of one life of the log, and the cursor after them.
    struct Place: Sendable {
        fileprivate(set) var changeSets: [ChangeSet] = []
        fileprivate var cursor: LogCursor?
    }

    private struct State {
        var place = Place()
        /// The entries of each life, by its epoch. The log of a restored backup is a new life.
        var lives: [EpochID: [ChangeSet]] = [:]
        var lossCount = 0
    }

    private let state = Mutex(State())

    var changeSets: [ChangeSet] { place.changeSets }

    var place: Place { state.withLock(\.place) }

    /// The number of change sets that were declared lost, in all lives.
    var lossCount: Int { state.withLock(\.lossCount) }

    /// The entries up to a cursor, which a snapshot contains or a store has removed.
    ///
    /// The life that the cursor names may have ended before its last entries were read; a later
    /// one continues it then.
    func changeSets(through cursor: LogCursor) -> ArraySlice<ChangeSet> {
        let count = Int(clamping: cursor.position)
        let (named, others) = state.withLock { state in
            (state.lives[cursor.epoch], [state.place.changeSets] + state.lives.values)
        }
        let lives = (named.map { [$0] } ?? []) + others
        let life = lives.first { life in
            life.count >= count
                && life.prefix(count).reduce(LogCursor(startOf: cursor.epoch)) {
                    $0.advanced(over: $1)
                } == cursor
        }
        return (life ?? named ?? []).prefix(count)
    }

    /// Continues from a backup that was made when the log had been read up to `place`.
    func goBack(to place: Place) { state.withLock { $0.place = place } }

    func readOn(from zone: ZoneService, checkingDigests isChecked: Bool) throws {
        while true {
            let page = try zone.pull(
                PullRequest(cursor: place.cursor, byteLimit: 1 << 20))
            let sets = try page.changeSets.map {
                try ChangeSet(decoding: $0, checkingDigest: isChecked)
                    .joined(ZoneEndpoint(zone))
            }
            state.withLock { state in
                state.place.changeSets += sets
                state.lossCount += sets.count { $0.kind == .lost }
                state.place.cursor = page.cursor
                state.lives[page.cursor.epoch] = state.place.changeSets
            }
            if page.cursor.position >= page.headPosition { return }
        }
    }
}
