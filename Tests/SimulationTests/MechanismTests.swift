import AnabranchReplication
import Foundation
import Simulator
import TestSupport
import Testing

/// The test of the test: without any one mechanism the simulator must find a failure.
struct MechanismTests {
    /// Within how many seeds the lack of a mechanism is noticed; `Documentation/Testing.md` has
    /// the same numbers.
    private static func seedCount(_ mechanism: Mechanism) -> UInt64 {
        switch mechanism {
        case .causeCheck: 20
        case .identityRenewal: 200
        case .digestCheck, .cursorDigest, .bundleCauses, .clockObservation: 100
        default: 20
        }
    }

    /// Where the run begins: near a seed that is known to notice, because a run from 1 on would
    /// take as long as all other tests.
    private static func firstSeed(_ mechanism: Mechanism) -> UInt64 {
        switch mechanism {
        case .causeCheck: 1890
        case .identityRenewal: 75
        case .digestCheck, .cursorDigest: 25
        default: 1
        }
    }

    /// All, or the one that `ANABRANCH_MECHANISM` names.
    private static let mechanisms: [Mechanism] = {
        let name = ProcessInfo.processInfo.environment["ANABRANCH_MECHANISM"]
        return name.flatMap(Mechanism.init).map { [$0] } ?? Mechanism.allCases
    }()

    @Test(
        .enabled(if: !SeedRange().isLong),
        .disabled(if: TestLength.isQuick, "\(TestLength.quickReason)"),
        arguments: mechanisms)
    func `a run fails soon where a mechanism is switched off`(_ mechanism: Mechanism) async {
        let count = Self.seedCount(mechanism)
        let start = Self.firstSeed(mechanism)
        let result = await SeedRun.all(
            start..<start + count, disabled: [mechanism], stopsAtFailure: true)
        let first = result.failures.first
        #expect(first != nil, "\(count) seeds do not notice that \(mechanism) is off")
        print("without \(mechanism): seed \(first?.seed ?? 0) fails, \(first?.text ?? "none")")
    }
}
