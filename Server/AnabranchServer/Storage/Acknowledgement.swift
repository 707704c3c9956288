/// The position up to which a replica has acknowledged a zone's log.
package struct Acknowledgement: Hashable, Sendable {
    /// The position of the last entry that the replica holds.
    package var position: UInt64
    /// When the replica last said hello, in milliseconds since 1970-01-01 UTC; 0 if that was not
    /// recorded.
    package var seen: Int64

    package init(position: UInt64, seen: Int64) {
        self.position = position
        self.seen = seen
    }
}
