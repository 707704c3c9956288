import AnabranchReplication
import Testing

/// The test of the test: without any one mechanism the simulator must find a failure.
struct MechanismTests {
    /// Within how many seeds the lack of a mechanism is noticed; `Documentation/Testing.md` has
    /// the same numbers.
    private static func seedCount(_ mechanism: Mechanism) -> UInt64 {
        mechanism == .causeCheck ? 1500 : 0
    }

    @Test(.enabled(if: !SeedRange().isLong), arguments: Mechanism.allCases)
    func `a run fails soon where a mechanism is switched off`(_ mechanism: Mechanism) async {
        let count = Self.seedCount(mechanism)
        let result = await SeedRun.all(
            1..<1 + count, disabled: [mechanism], stopsAtFailure: true)
        let first = result.failures.first
        #expect(first != nil, "\(count) seeds do not notice that \(mechanism) is off")
        print("without \(mechanism): seed \(first?.seed ?? 0) fails, \(first?.text ?? "none")")
    }
}
