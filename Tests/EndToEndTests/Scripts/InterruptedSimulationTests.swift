import Foundation
import TestSupport
import Testing

/// Tests of the simulator's program when a signal stops it.
@Suite(.waiting) struct InterruptedSimulationTests {
    @Test(arguments: [SIGINT, SIGTERM])
    func `an interrupted run of random seeds says how far it came`(signal: Int32) throws {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = try BuiltProducts.executable("Simulate")
        process.arguments = ["--random", "1000000"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        // The program prints its first seed when it watches for signals.
        let beginning = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        #expect(beginning.hasPrefix("1000000 seeds from "))
        kill(process.processIdentifier, signal)
        let rest = String(
            decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 128 + signal)
        let number = try #require(beginning.split(separator: " ").last).filter(\.isNumber)
        #expect(rest.contains(" of 1000000 seeds from \(number), 0 failures"), "\(rest)")
    }
}
