import Foundation

/// The duration and memory of a program that runs to its end.
struct ProgramRun {
    let duration: Duration
    let maximumBytes: Int

    init(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        let start = ContinuousClock.now
        try process.run()
        var most = 0
        while process.isRunning {
            most = max(most, ProcessMemory.maximumBytes(of: process.processIdentifier))
            usleep(2000)
        }
        process.waitUntilExit()
        duration = ContinuousClock.now - start
        maximumBytes = most
        guard process.terminationStatus == 0 else {
            throw Unexpected("\(program) exited with \(process.terminationStatus)")
        }
    }
}
