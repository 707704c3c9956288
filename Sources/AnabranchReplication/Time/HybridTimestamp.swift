/// A time that respects causality: 48 bits of milliseconds, 16 bits of counter.
///
/// Whoever has seen a timestamp issues a later one, whatever its wall clock says.
///
/// Source: Kulkarni et al., "Logical Physical Clocks and Consistent Snapshots in Globally
/// Distributed Databases", 2014.
public struct HybridTimestamp: Hashable, Sendable {
    /// Milliseconds in the high 48 bits, counter in the low 16; below 2^63.
    public let rawValue: UInt64

    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// - Parameters:
    ///   - wallMilliseconds: Since 1970-01-01 UTC; below zero counts as zero, beyond the limit
    ///     as the limit.
    ///   - counter: Tells events of one millisecond apart.
    public init(wallMilliseconds: Int64, counter: UInt16 = 0) {
        let greatest = Int64(Limits.greatestTimestamp >> 16)
        let clamped = UInt64(min(max(wallMilliseconds, 0), greatest))
        self.init(rawValue: clamped << 16 | UInt64(counter))
    }

    /// Before every timestamp that a clock issues.
    public static let zero = HybridTimestamp(rawValue: 0)

    /// Since 1970-01-01 UTC.
    public var wallMilliseconds: Int64 { Int64(rawValue >> 16) }
    public var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
}

extension HybridTimestamp: Comparable {
    @inlinable
    public static func < (left: HybridTimestamp, right: HybridTimestamp) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension HybridTimestamp: CustomStringConvertible {
    public var description: String { "\(wallMilliseconds).\(counter)" }
}
