import Foundation

/// How long a test run may take.
public enum TestLength {
    /// Whether long tests are left out and random ones have few seeds: `ANABRANCH_QUICK=1`.
    public static let isQuick = ProcessInfo.processInfo.environment["ANABRANCH_QUICK"] == "1"

    /// Why a test that is left out does not run.
    public static let quickReason = "ANABRANCH_QUICK leaves out long tests"

    /// Seeds from 0 on for a test's arguments; of a quick run a sixteenth. Or those that
    /// `ANABRANCH_TEST_SEEDS=FIRST:COUNT` asks for, to replay one, or to look at more.
    public static func seeds(_ count: UInt64) -> Range<UInt64> {
        chosen ?? 0..<(isQuick ? max(count / 16, 1) : count)
    }

    private static let chosen: Range<UInt64>? = {
        let text = ProcessInfo.processInfo.environment["ANABRANCH_TEST_SEEDS"] ?? ""
        let numbers = text.split(separator: ":").compactMap { UInt64($0) }
        guard numbers.count == 2 else { return nil }
        return numbers[0]..<numbers[0] + numbers[1]
    }()
}
