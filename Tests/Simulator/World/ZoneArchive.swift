import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import Synchronization
import TestSupport

/// Every entry that the zone's log ever had, for the oracles.
///
/// A log is only ever read on from where it was read last, so nothing of it is needed twice.
final class ZoneArchive: Sendable {
    /// What was read of one life of the log, and how far.
    struct Place: Sendable {
        fileprivate(set) var changeSets: [ChangeSet] = []
        fileprivate var cursor: LogCursor?
    }

    private struct State {
        var place = Place()
        /// By the epoch: a backup's log goes on as another one.
        var lives: [EpochID: [ChangeSet]] = [:]
        var lossCount = 0
    }

    private let state = Mutex(State())

    var changeSets: [ChangeSet] { place.changeSets }

    var place: Place { state.withLock(\.place) }

    /// How many sets were declared lost, in all lives.
    var lossCount: Int { state.withLock(\.lossCount) }

    /// The entries that a snapshot stands for.
    func changeSets(through cursor: LogCursor) -> ArraySlice<ChangeSet> {
        let life = state.withLock { $0.lives[cursor.epoch] ?? $0.place.changeSets }
        return life.prefix(Int(clamping: cursor.position))
    }

    /// The zone goes on from a backup that was made when the log was read up to here.
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
