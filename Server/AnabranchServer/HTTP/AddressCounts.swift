import Synchronization

/// The open connections, or the running requests, of each address.
///
/// The addresses of one IPv6 /64 network count as one, because a client has all of them.
final class AddressCounts: Sendable {
    private struct State {
        var counts: [String: Int] = [:]
        var networks: [UInt: String] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// Counts one of an address. An address that is not known has no limit.
    ///
    /// - Parameter key: Distinguishes it from all others that are counted at the same time.
    ///
    /// - Returns: False if the address has as many as it may have; then nothing is counted.
    func begin(_ key: UInt, from address: String) -> Bool {
        guard !address.isEmpty else { return true }
        let network = SocketAddress.network(of: address)
        return state.withLock { state in
            guard state.counts[network, default: 0] < limit else { return false }
            state.counts[network, default: 0] += 1
            state.networks[key] = network
            return true
        }
    }

    /// Ends what was counted under a key, if it was.
    func end(_ key: UInt) {
        state.withLock { state in
            guard let network = state.networks.removeValue(forKey: key) else { return }
            state.counts[network] = state.counts[network].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }
}
