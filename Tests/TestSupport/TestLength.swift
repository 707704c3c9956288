import Foundation
package import Testing

/// How long a test run may take: `ANABRANCH_TEST_LENGTH=quick`, `usual` or `long`.
package enum TestLength: String, Sendable {
    /// A run between two edits: long tests are left out, random tests have few seeds.
    case quick
    /// A run of every test: random tests have an eighth of their seeds.
    case usual
    /// A run with all seeds and with long disturbances.
    case long

    /// The length that the environment asks for; `usual` if it names none.
    package static let current: TestLength = {
        let text = ProcessInfo.processInfo.environment["ANABRANCH_TEST_LENGTH"] ?? ""
        return TestLength(rawValue: text) ?? .usual
    }()

    /// Indicates whether long tests are left out.
    package static let isQuick = current == .quick

    /// The seeds of a random test, from 0 on.
    ///
    /// `ANABRANCH_TEST_SEEDS=FIRST:COUNT` asks for others, to replay one or to look at more.
    ///
    /// - Parameter count: The number of seeds in a long run. A usual run has an eighth of them,
    ///   and a quick run a thirty-second part, but each has at least one.
    package static func seeds(_ count: UInt64) -> Range<UInt64> {
        chosen ?? 0..<max(count / seedDivisor, 1)
    }

    private static var seedDivisor: UInt64 {
        switch current {
        case .quick: 32
        case .usual: 8
        case .long: 1
        }
    }

    private static let chosen: Range<UInt64>? = {
        let text = ProcessInfo.processInfo.environment["ANABRANCH_TEST_SEEDS"] ?? ""
        let numbers = text.split(separator: ":").compactMap { UInt64($0) }
        guard numbers.count == 2 else { return nil }
        return numbers[0]..<numbers[0] + numbers[1]
    }()
}

extension Trait where Self == ConditionTrait {
    /// Leaves a long test out of quick runs.
    package static var long: Self {
        .disabled(if: TestLength.isQuick, "ANABRANCH_TEST_LENGTH=quick leaves out long tests")
    }

    /// Leaves out a test that takes half a minute or builds a package, except in long runs.
    package static var longest: Self {
        .enabled(if: TestLength.current == .long, "only ANABRANCH_TEST_LENGTH=long runs it")
    }
}
