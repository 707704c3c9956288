#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension HybridTimestamp {
    /// The wall-clock time, without the counter.
    package var date: Date { Date(timeIntervalSince1970: Double(wallMilliseconds) / 1000) }
}
