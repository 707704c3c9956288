import AnabranchReplication
import Foundation
import Simulator
import TestSupport

/// `Simulate FIRST COUNT [MECHANISM]` runs seeds of the simulator on all cores; `Simulate --random
/// COUNT` draws the first seed itself. `--storage KIND` in front gives all zones one storage.
///
/// Prints every failing seed when it is found, the first of them cut down to a story, and one line
/// that sums up, also when the run is interrupted. The exit status is 1 when a seed failed, or when
/// an expected event never happened in a run of many seeds that were not drawn at random. With a
/// mechanism switched off it is 1 when none failed. After SIGINT or SIGTERM it is 128 and the
/// signal's number.
@main
enum Simulate {
    static func main() {
        let given = RunArguments(Array(CommandLine.arguments.dropFirst())) {
            // Small enough to be read out.
            UInt64(UInt32.random(in: 1...UInt32.max))
        }
        guard let arguments = given else {
            FileHandle.standardError.write(Data(RunArguments.usage.utf8))
            exit(64)
        }
        // This must be called before the first use of SQLite.
        SimulatedDisk.leaveMemoryUncounted()
        exit(run(arguments))
    }

    private static func run(_ arguments: RunArguments) -> Int32 {
        let output = RunOutput(RunProgress(of: arguments.seeds.count))
        let interruption = Interruption()
        let watch = SignalWatch(interruption)
        if arguments.isRandom {
            output.print("\(arguments.seeds.count) seeds from \(arguments.seeds.lowerBound)")
        }
        let mechanism = arguments.mechanism
        let observer = RunObserver(
            didFail: { failure, isFirst in
                output.print("seed \(failure.seed): \(failure.text)")
                guard isFirst, mechanism == nil else { return }
                if let story = SeedRun.story(of: failure.seed, storage: arguments.storage) {
                    output.print(story)
                }
            },
            didFinish: { output.show(finished: $0, failed: $1) },
            isStopped: { interruption.isStopped })
        let result = withExtendedLifetime(watch) {
            SeedRun.waiting(
                for: arguments.seeds, storage: arguments.storage,
                disabled: mechanism.map { [$0] } ?? [], observer: observer)
        }
        let status =
            mechanism.map { sumUp(result, without: $0, output) }
            ?? sumUp(result, of: arguments, output)
        return interruption.status ?? status
    }

    private static func sumUp(
        _ result: SeedRun.Result, of arguments: RunArguments, _ output: RunOutput
    ) -> Int32 {
        output.print("\(result)")
        let isComplete = result.finishedCount == arguments.seeds.count
        let missing =
            isComplete && arguments.requiresEveryEvent ? result.statistics.missing : []
        if !missing.isEmpty {
            output.print("never happened: \(missing.map(\.rawValue).joined(separator: ", "))")
        }
        return result.failures.isEmpty && missing.isEmpty ? 0 : 1
    }

    /// Says how many seeds notice that a mechanism is off.
    private static func sumUp(
        _ result: SeedRun.Result, without mechanism: Mechanism, _ output: RunOutput
    ) -> Int32 {
        output.print(
            "without \(mechanism): \(result.failures.count) of \(result.finishedCount) seeds fail")
        return result.failures.isEmpty ? 1 : 0
    }
}
