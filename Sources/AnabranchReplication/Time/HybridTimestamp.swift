/// A time that respects causality: 48 bits of milliseconds and 16 bits of counter.
///
/// A replica that has seen a timestamp issues only later ones, whatever its wall clock says.
///
/// Source: Kulkarni et al., "Logical Physical Clocks and Consistent Snapshots in Globally
/// Distributed Databases", 2014.
@usableFromInline package struct HybridTimestamp: Hashable, Sendable {
    /// The milliseconds in the high 48 bits and the counter in the low 16; below 2^63.
    @usableFromInline package let rawValue: UInt64

    /// Creates a timestamp from its stored form.
    @inlinable
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates a timestamp from a wall-clock time and a counter.
    ///
    /// - Parameters:
    ///   - wallMilliseconds: Milliseconds since 1970-01-01 UTC. A time out of range becomes the
    ///     nearest one in range.
    ///   - counter: Distinguishes events of one millisecond.
    package init(wallMilliseconds: Int64, counter: UInt16 = 0) {
        let greatest = Int64(Limits.greatestTimestamp >> 16)
        let clamped = UInt64(min(max(wallMilliseconds, 0), greatest))
        self.init(rawValue: clamped << 16 | UInt64(counter))
    }

    /// A timestamp before every one that a clock issues.
    package static let zero = HybridTimestamp(rawValue: 0)

    /// The milliseconds since 1970-01-01 UTC.
    package var wallMilliseconds: Int64 { Int64(rawValue >> 16) }
    /// The counter, which distinguishes events of one millisecond.
    package var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
}

extension HybridTimestamp: Comparable {
    /// Orders timestamps by milliseconds, then by counter.
    @inlinable
    package static func < (left: HybridTimestamp, right: HybridTimestamp) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension HybridTimestamp: CustomStringConvertible {
    /// The milliseconds and the counter, separated by a full stop.
    @usableFromInline package var description: String { "\(wallMilliseconds).\(counter)" }
}
