/// The position up to which a replica has acknowledged a zone's log.
package struct Acknowledgement: Hashable, Sendable {
    /// The position of the last entry that the replica holds.
    package var position: UInt64
    /// When the replica last said hello, in milliseconds since 1970-01-01 UTC; 0 if that was not
    /// recorded, or if an operator has let the zone forget the replica.
    package var seen: Int64

    /// True if the replica may return, so that the log keeps what it lacks.
    package var isSeen: Bool { seen > 0 }

    /// The acknowledgement of a replica for which the log keeps nothing.
    package var forgotten: Acknowledgement { Acknowledgement(position: position, seen: 0) }
}
