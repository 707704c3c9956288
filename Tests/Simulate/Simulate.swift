import Foundation
import Simulator
import TestSupport

/// `Simulate FIRST COUNT` runs seeds of the simulator on all cores.
///
/// Prints every failing seed, the first of them cut down to a story, and one line that sums up.
/// The exit status is 1 when a seed failed, or when of many seeds none met what a run is about.
@main
enum Simulate {
    static func main() {
        let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
        guard CommandLine.arguments.count == 3, numbers.count == 2 else {
            FileHandle.standardError.write(Data("Usage: Simulate FIRST COUNT\n".utf8))
            exit(64)
        }
        // Nothing has used SQLite yet.
        SimulatedDisk.leaveMemoryUncounted()
        let result = SeedRun.waiting(for: numbers[0]..<numbers[0] + numbers[1])
        for (seed, failure) in result.failures { print("seed \(seed): \(failure)") }
        if let story = result.firstStory { print(story) }
        print(result)
        let missing = result.seeds.count < manySeeds ? [] : result.statistics.missing
        if !missing.isEmpty {
            print("never happened: \(missing.map(\.rawValue).joined(separator: ", "))")
        }
        exit(result.failures.isEmpty && missing.isEmpty ? 0 : 1)
    }

    /// So many that everything happens that can.
    private static let manySeeds = 200
}
