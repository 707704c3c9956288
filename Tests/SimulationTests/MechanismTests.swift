import AnabranchReplication
import Foundation
import Simulator
import TestSupport
import Testing

/// Tests of the simulator: with any one mechanism switched off it must find a failure.
struct MechanismTests {
    /// Returns the number of seeds within which a failure is found. `Documentation/Testing.md` has
    /// the same numbers.
    private static func seedCount(_ mechanism: Mechanism) -> UInt64 {
        switch mechanism {
        case .causeCheck: 20
        case .identityRenewal: 200
        case .digestCheck, .cursorDigest, .bundleCauses, .clockObservation: 100
        default: 20
        }
    }

    /// Returns the first seed of the run. It is near a seed that is known to fail, because a run
    /// from 1 would take as long as all other tests.
    private static func firstSeed(_ mechanism: Mechanism) -> UInt64 {
        switch mechanism {
        case .causeCheck: 630
        case .identityRenewal: 155
        case .cursorDigest: 200
        case .clockObservation: 50
        case .flushAfterImport: 320
        case .digestCheck, .randomnessCheck: 25
        case .bundleCauses: 20
        case .gapCheck, .linkTags, .linkEnds: 10
        default: 1
        }
    }

    /// All mechanisms, or the one that `ANABRANCH_MECHANISM` names.
    private static let mechanisms: [Mechanism] = {
        let name = ProcessInfo.processInfo.environment["ANABRANCH_MECHANISM"]
        return name.flatMap(Mechanism.init).map { [$0] } ?? Mechanism.allCases
    }()

    @Test(.enabled(if: !SeedRange().isLong), .long, arguments: mechanisms)
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
