package import AnabranchProtocol

/// A request that read data of a zone, or was refused: the right that it used, and the amount of
/// what it read.
package struct ReadRecord: Sendable {
    /// The kind of request.
    package enum Event: String, Sendable { case pull, snapshot, repair, part }

    /// The amount that was read, without the data, or the reason why nothing was.
    package enum Content: Hashable, Sendable {
        /// A number of change sets, and the position of the last one.
        case changeSets(Int, upTo: UInt64)
        /// A chunk by its number, from 0, the number of all chunks, and the snapshot's position.
        case chunk(UInt64, of: UInt64, at: UInt64)
        /// A number of records, and the position of the log at which they were read.
        case records(Int, at: UInt64)
        /// A number of bytes of a part.
        case bytes(Int)
        /// Nothing, because the request was refused.
        case refused(ProtocolError.Code)
    }

    package let event: Event
    package let zone: ZoneName
    package let origin: RequestOrigin
    package let content: Content

    /// True if the client already had everything that it asked for.
    var isEmpty: Bool {
        if case .changeSets(0, _) = content { true } else { false }
    }
}
