import Foundation

/// Which seeds run: a few in CI, or as many as `ANABRANCH_SEEDS=first:count` says.
struct SeedRange {
    let seeds: Range<UInt64>
    let isLong: Bool
    /// Whether long tests are left out.
    let isQuick: Bool

    static let ci: UInt64 = 300
    static let quick: UInt64 = 30

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        isQuick = environment["ANABRANCH_QUICK"] == "1"
        let parts = (environment["ANABRANCH_SEEDS"] ?? "").split(separator: ":").compactMap {
            UInt64($0)
        }
        if parts.count == 2 {
            seeds = parts[0]..<parts[0] + parts[1]
            isLong = true
        } else {
            seeds = 1..<1 + (isQuick ? Self.quick : Self.ci)
            isLong = false
        }
    }
}
