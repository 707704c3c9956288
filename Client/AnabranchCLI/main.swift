import Foundation

// Tasks need descriptors of the system, so the streams get theirs before the first task.
StandardStreams.reserve()
Task { exit(await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue) }
dispatchMain()
