package import AnabranchProtocol
import AnabranchReplication
import AnabranchServer
package import AnabranchSync
import Synchronization

/// A connection to a zone in the same process, with the faults that a test asks for.
package final class MemoryTransport: Transport {
    private struct State {
        var network: FaultyNetwork
        var requests: [(endpoint: SyncEndpoint, body: [UInt8])] = []
        var responses: [[UInt8]] = []
        /// The number of the first request that fails, from 1, and whether the server handles that
        /// one.
        var cut: (at: Int, isServed: Bool)?
        var refusals: [SyncEndpoint: ProtocolError] = [:]
    }

    private let zone: ZoneEndpoint
    private let state: Mutex<State>

    package init(
        _ zone: ZoneEndpoint, seed: UInt64 = 0, faults: FaultyNetwork.Faults = .none
    ) {
        self.zone = zone
        state = Mutex(State(network: FaultyNetwork(seed: seed, faults: faults)))
    }

    /// Every request that was sent, in order.
    package var requests: [(endpoint: SyncEndpoint, body: [UInt8])] {
        state.withLock { $0.requests }
    }

    package var responses: [[UInt8]] { state.withLock { $0.responses } }

    /// Fails every request from the k-th on, counted from 1.
    ///
    /// - Parameter isServed: Whether the k-th request reaches the server, so that only its response
    ///   is lost.
    package func cut(atRequest number: Int?, served isServed: Bool = false) {
        state.withLock { $0.cut = number.map { ($0, isServed) } }
    }

    /// Refuses every request to an endpoint, until `nil` is set.
    package func refuse(_ endpoint: SyncEndpoint, with refusal: ProtocolError?) {
        state.withLock { $0.refusals[endpoint] = refusal }
    }

    package func setFaults(_ faults: FaultyNetwork.Faults) {
        state.withLock { $0.network.faults = faults }
    }

    package func send(_ endpoint: SyncEndpoint, body: [UInt8]) async throws -> TransportReply {
        try Task.checkCancellation()
        return try state.withLock { state in
            state.requests.append((endpoint, body))
            if let refusal = state.refusals[endpoint] {
                return .refusal(refusal, retryAfter: nil)
            }
            if let cut = state.cut, state.requests.count >= cut.at {
                if cut.isServed, state.requests.count == cut.at {
                    _ = zone.answer(endpoint, body)
                }
                throw SyncError(.unreachable, "The connection was cut.")
            }
            let reply = try state.network.send(endpoint, body, to: zone.answer).get()
            if case .message(let bytes) = reply { state.responses.append(bytes) }
            return reply
        }
    }

    package func events() -> AsyncThrowingStream<ZoneEvent, any Error> {
        AsyncThrowingStream { continuation in
            let service = zone.service
            let number = service.addObserver { head in
                continuation.yield(.head(epoch: head.epoch, position: head.position))
            }
            continuation.onTermination = { _ in service.removeObserver(number) }
            continuation.yield(.opened)
            // The head is read after the registration, as the server does.
            if let head = try? service.head() {
                continuation.yield(.head(epoch: head.epoch, position: head.position))
            }
        }
    }
}
