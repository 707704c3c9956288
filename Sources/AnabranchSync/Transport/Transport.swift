package import AnabranchProtocol
package import AnabranchReplication

/// The way to one zone: HTTP, or in tests memory.
package protocol Transport: Sendable {
    /// Sends one request and waits for its answer.
    ///
    /// The request may arrive any number of times, whatever this call returns: all of them are
    /// idempotent.
    ///
    /// - Throws: `SyncError` where no answer came, `CancellationError` where the task was
    ///   cancelled.
    func send(_ endpoint: SyncEndpoint, body: [UInt8]) async throws -> TransportReply

    /// Follows the zone's live events until the stream is dropped or the connection ends.
    func events() -> AsyncThrowingStream<ZoneEvent, any Error>
}

package enum TransportReply: Sendable {
    case message([UInt8])
    case refusal(ProtocolError, retryAfter: Duration?)
}

/// What the zone tells its listeners.
package enum ZoneEvent: Hashable, Sendable {
    /// The stream is open: what is appended from now on is told.
    case opened
    /// The log has a new last entry.
    case head(epoch: EpochID, position: UInt64)
    /// Nothing happened, but the connection stands.
    case heartbeat
}
