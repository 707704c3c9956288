import Foundation

/// A limit on the bytes that are in use at the same time, of which each holder has a share.
final class MemoryBudget: Sendable {
    /// The purpose that reserved bytes count for. Each has at most ``share`` of them.
    enum Holder: Hashable, Sendable {
        /// The bodies of all requests of which the right is not known yet.
        case unadmitted
        /// The requests to one zone.
        case zone(String)
        /// The requests of one client, by the number that they share.
        case client(Int)
    }

    private struct State {
        var rest: Int
        /// The bytes of the holders that use any.
        var used: [Holder: Int] = [:]
    }

    /// The limit in bytes.
    let byteCount: Int
    private let returned = NSCondition()
    /// Used only while `returned` is locked.
    nonisolated(unsafe) private var state: State

    init(byteCount: Int) {
        self.byteCount = byteCount
        state = State(rest: byteCount)
    }

    /// The greatest number of bytes of one holder, and of one request: half of all. So no zone and
    /// no client takes the memory of the others, and a large request does not have to wait until
    /// no other one takes any.
    var share: Int { byteCount / 2 }

    /// Reserves bytes.
    ///
    /// - Parameters:
    ///   - holders: What the bytes count for.
    ///   - seconds: The time to wait for bytes that are in use.
    ///
    /// - Returns: False if the budget, or the share of a holder, does not have enough bytes left.
    func take(_ count: Int, for holders: [Holder] = [], waiting seconds: Double = 0) -> Bool {
        returned.withLock {
            let end = seconds > 0 ? Date(timeIntervalSinceNow: seconds) : nil
            let most = holders.isEmpty ? byteCount : share
            while !hasRoom(count, holders) {
                guard count <= most, let end, returned.wait(until: end) else { return false }
            }
            add(count, holders)
            return true
        }
    }

    func giveBack(_ count: Int, of holders: [Holder] = []) {
        guard count > 0 else { return }
        returned.withLock {
            add(-count, holders)
            returned.broadcast()
        }
    }

    /// Counts reserved bytes for other holders.
    ///
    /// - Returns: False if a share of them does not have enough bytes left. Then nothing changes.
    func move(_ count: Int, from former: [Holder], to holders: [Holder]) -> Bool {
        returned.withLock {
            add(-count, former)
            let fits = hasRoom(count, holders)
            add(count, fits ? holders : former)
            if fits { returned.broadcast() }
            return fits
        }
    }

    /// The number of bytes that are not in use.
    var available: Int { returned.withLock { state.rest } }

    private func hasRoom(_ count: Int, _ holders: [Holder]) -> Bool {
        count <= state.rest && holders.allSatisfy { count <= share - (state.used[$0] ?? 0) }
    }

    private func add(_ count: Int, _ holders: [Holder]) {
        state.rest -= count
        for holder in holders {
            let used = (state.used[holder] ?? 0) + count
            state.used[holder] = used > 0 ? used : nil
        }
    }
}
