import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
import Synchronization
import TestSupport

/// Every entry that the zone's log ever had, for the oracles.
///
/// A log is only ever read on from where it was read last, so nothing of it is needed twice.
final class ZoneArchive: Sendable {
    private struct State {
        var changeSets: [ChangeSet] = []
        var cursor: LogCursor?
    }

    private let state = Mutex(State())

    var changeSets: [ChangeSet] { state.withLock(\.changeSets) }

    /// The entries that a snapshot at a position stands for.
    func changeSets(through position: UInt64) -> ArraySlice<ChangeSet> {
        changeSets.prefix(Int(clamping: position))
    }

    func readOn(from zone: ZoneService, checkingDigests isChecked: Bool) throws {
        while true {
            let page = try zone.pull(
                PullRequest(cursor: state.withLock(\.cursor), byteLimit: 1 << 20))
            let sets = try page.changeSets.map {
                try ChangeSet(decoding: $0, checkingDigest: isChecked)
                    .joined(ZoneEndpoint(zone))
            }
            state.withLock { state in
                state.changeSets += sets
                state.cursor = page.cursor
            }
            if page.cursor.position >= page.headPosition { return }
        }
    }
}
