import Foundation
import TestSupport

/// The seeds that the tests run.
///
/// The default is a few, because debug builds are slow and `Scripts/simulate` runs many.
/// `ANABRANCH_SEEDS=first:count` overrides it.
package struct SeedRange {
    package let seeds: Range<UInt64>
    package let isLong: Bool

    static let few: UInt64 = 40
    static let quick: UInt64 = 10

    package init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        let parts = (environment["ANABRANCH_SEEDS"] ?? "").split(separator: ":").compactMap {
            UInt64($0)
        }
        if parts.count == 2 {
            seeds = parts[0]..<parts[0] + parts[1]
            isLong = true
        } else {
            seeds = 1..<1 + (TestLength.isQuick ? Self.quick : Self.few)
            isLong = false
        }
    }
}
