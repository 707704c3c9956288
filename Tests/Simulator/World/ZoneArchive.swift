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
        /// The cursor after each entry.
        fileprivate var cursors: [LogCursor] = []
        fileprivate var cursor: LogCursor?

        /// Returns whether the entries up to a cursor are those of another life up to there.
        fileprivate func contains(_ cursor: LogCursor) -> Bool {
            let count = Int(clamping: cursor.position)
            guard count > 0 else { return true }
            return count <= cursors.count && cursors[count - 1].isSame(as: cursor)
        }
    }

    private struct State {
        var place = Place()
        /// The entries of each life, by its epoch. The log of a restored backup is a new life.
        var lives: [EpochID: Place] = [:]
        var lossCount = 0
    }

    private let state = Mutex(State())

    var changeSets: [ChangeSet] { place.changeSets }

    var place: Place { state.withLock(\.place) }

    /// The number of change sets that were declared lost, in all lives.
    var lossCount: Int { state.withLock(\.lossCount) }

    /// The entries up to a cursor, which a snapshot contains or a store has removed.
    ///
    /// The life that the cursor names may have ended before its last entries were read; another
    /// one has them then.
    func changeSets(through cursor: LogCursor) -> ArraySlice<ChangeSet> {
        let lives = state.withLock { state in
            [state.lives[cursor.epoch], state.place].compactMap(\.self) + state.lives.values
        }
        let life = lives.first { $0.contains(cursor) } ?? lives.first
        return life?.changeSets.prefix(Int(clamping: cursor.position)) ?? []
    }

    /// Continues from a backup that was made when the log had been read up to `place`.
    func goBack(to place: Place) { state.withLock { $0.place = place } }

    func readOn(from zone: ZoneService, checkingDigests isChecked: Bool) throws {
        while true {
            let before = place.cursor
            let page = try zone.pull(PullRequest(cursor: before, byteLimit: 1 << 20))
            let entries = try page.changeSets.map {
                try ChangeSet(decoding: $0, checkingDigest: isChecked)
            }
            let sets = try entries.map { try $0.joined(ZoneEndpoint(zone)) }
            var cursor = before ?? LogCursor(startOf: page.cursor.epoch)
            let cursors = entries.map { entry in
                cursor = cursor.advanced(over: entry)
                return cursor
            }
            state.withLock { state in
                state.place.changeSets += sets
                state.place.cursors += cursors
                state.place.cursor = page.cursor
                state.lossCount += sets.count { $0.kind == .lost }
                state.lives[page.cursor.epoch] = state.place
            }
            if page.cursor.position >= page.headPosition { return }
        }
    }
}

extension LogCursor {
    /// Returns whether two logs are the same up to here, in whatever epochs.
    fileprivate func isSame(as other: LogCursor) -> Bool {
        position == other.position && digestHigh == other.digestHigh
            && digestLow == other.digestLow
    }
}
