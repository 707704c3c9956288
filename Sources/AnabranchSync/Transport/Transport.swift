package import AnabranchProtocol
package import AnabranchReplication

/// The connection to one zone: HTTP, or memory in tests.
package protocol Transport: Sendable {
    /// Sends one request and waits for its answer.
    ///
    /// The request may arrive any number of times, whatever this call returns: every request is
    /// idempotent.
    ///
    /// - Throws: `SyncError` if no answer came, `CancellationError` if the task was cancelled.
    func send(_ endpoint: SyncEndpoint, body: [UInt8]) async throws -> TransportReply

    /// Follows the zone's live events until the stream is dropped or the connection ends.
    func events() -> AsyncThrowingStream<ZoneEvent, any Error>
}

/// The server's answer to a request.
package enum TransportReply: Sendable {
    /// The body of a successful answer.
    case message([UInt8])
    /// A refusal, and the delay that the server asked for.
    case refusal(ProtocolError, retryAfter: Duration?)
}

/// An event that the zone sends to its listeners.
package enum ZoneEvent: Hashable, Sendable {
    /// The answer has begun. Whether events will arrive is not known yet: a proxy may hold them
    /// back.
    case opened
    /// The last entry of the log. The first event of a stream names the present one, and each later
    /// event a new one.
    case head(epoch: EpochID, position: UInt64)
    /// The connection works, but nothing happened.
    case heartbeat
}
