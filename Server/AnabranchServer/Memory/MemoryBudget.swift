import Dispatch

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
        /// The bytes that were given back since the last call of `whenReturned`.
        var returned = 0
        /// True if a call of `whenReturned` is planned.
        var isReturning = false
    }

    let byteCount: Int
    private let returned = Condition()
    private let whenShort: @Sendable (_ byteCount: Int, _ holder: Holder?) -> Void
    private let whenReturned: @Sendable () -> Void
    /// Used only while `returned` is locked.
    nonisolated(unsafe) private var state: State

    /// Creates a budget of which nothing is used.
    ///
    /// - Parameters:
    ///   - whenShort: Called when bytes can't be reserved at once, with their number and
    ///   the holder with too small a share, or `nil` if all bytes are in use. It may make
    ///   requests give bytes back.
    ///   - whenReturned: Called in the background each time that an eighth of the bytes was given
    ///   back, and two seconds after fewer were. The allocator still has their memory, and would
    ///   keep it beside what is used next.
    init(
        byteCount: Int,
        whenShort: @escaping @Sendable (_ byteCount: Int, _ holder: Holder?) -> Void = { _, _ in },
        whenReturned: @escaping @Sendable () -> Void = {}
    ) {
        self.byteCount = byteCount
        self.whenShort = whenShort
        self.whenReturned = whenReturned
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
        let most = holders.isEmpty ? byteCount : share
        let isTaken = returned.withLock { take(now: count, holders) }
        guard !isTaken, count <= most else { return isTaken }
        whenShort(count, returned.withLock { holders.first { !hasRoom(count, in: $0) } })
        return returned.withLock {
            let end = ContinuousClock.now + .seconds(seconds)
            while !take(now: count, holders) {
                guard returned.wait(until: end) else { return false }
            }
            return true
        }
    }

    private func take(now count: Int, _ holders: [Holder]) -> Bool {
        guard hasRoom(count, holders) else { return false }
        add(count, holders)
        return true
    }

    func giveBack(_ count: Int, of holders: [Holder] = []) {
        guard count > 0 else { return }
        let delay: Double? = returned.withLock {
            add(-count, holders)
            returned.broadcast()
            state.returned += count
            guard state.returned < byteCount / 8 else {
                state.returned = 0
                return 0
            }
            guard state.returned >= Self.leastReturned, !state.isReturning else { return nil }
            state.isReturning = true
            return 2
        }
        guard let delay else { return }
        let queue = DispatchQueue.global(qos: .utility)
        guard delay > 0 else { return queue.async(execute: whenReturned) }
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in self?.returnRest() }
    }

    /// The bytes for which `whenReturned` is called although they are less than an eighth.
    private static let leastReturned = 1 << 20

    private func returnRest() {
        let isThere = returned.withLock {
            defer { (state.returned, state.isReturning) = (0, false) }
            return state.returned > 0
        }
        if isThere { whenReturned() }
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
        count <= state.rest && holders.allSatisfy { hasRoom(count, in: $0) }
    }

    private func hasRoom(_ count: Int, in holder: Holder) -> Bool {
        count <= share - (state.used[holder] ?? 0)
    }

    private func add(_ count: Int, _ holders: [Holder]) {
        state.rest -= count
        for holder in holders {
            let used = (state.used[holder] ?? 0) + count
            state.used[holder] = used > 0 ? used : nil
        }
    }
}
