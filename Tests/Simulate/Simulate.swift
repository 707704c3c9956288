import AnabranchReplication
import Foundation
import Simulator
import TestSupport

/// `Simulate FIRST COUNT [MECHANISM]` runs seeds of the simulator on all cores.
///
/// Prints every failing seed, the first of them cut down to a story, and one line that sums up.
/// The exit status is 1 when a seed failed, or when of many seeds none met what a run is about.
/// With a mechanism switched off it is 1 when none failed.
@main
enum Simulate {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let numbers = arguments.prefix(2).compactMap { UInt64($0) }
        let names = arguments.dropFirst(2)
        let mechanisms = names.compactMap(Mechanism.init)
        guard numbers.count == 2, names.count < 2, mechanisms.count == names.count else {
            let known = Mechanism.allCases.map(\.rawValue).joined(separator: " ")
            FileHandle.standardError.write(
                Data("Usage: Simulate FIRST COUNT [MECHANISM]\nMechanisms: \(known)\n".utf8))
            exit(64)
        }
        // Nothing has used SQLite yet.
        SimulatedDisk.leaveMemoryUncounted()
        let seeds = numbers[0]..<numbers[0] + numbers[1]
        exit(mechanisms.isEmpty ? run(seeds) : run(seeds, without: mechanisms[0]))
    }

    private static func run(_ seeds: Range<UInt64>) -> Int32 {
        let result = SeedRun.waiting(for: seeds)
        for (seed, failure) in result.failures { print("seed \(seed): \(failure)") }
        if let story = result.firstStory { print(story) }
        print(result)
        let missing = result.seeds.count < manySeeds ? [] : result.statistics.missing
        if !missing.isEmpty {
            print("never happened: \(missing.map(\.rawValue).joined(separator: ", "))")
        }
        return result.failures.isEmpty && missing.isEmpty ? 0 : 1
    }

    /// Says which seeds notice that a mechanism is off.
    private static func run(_ seeds: Range<UInt64>, without mechanism: Mechanism) -> Int32 {
        let result = SeedRun.waiting(for: seeds, disabled: [mechanism])
        for (seed, failure) in result.failures { print("seed \(seed): \(failure)") }
        print("without \(mechanism): \(result.failures.count) of \(seeds.count) seeds fail")
        return result.failures.isEmpty ? 1 : 0
    }

    /// So many that everything happens that can.
    private static let manySeeds = 200
}
