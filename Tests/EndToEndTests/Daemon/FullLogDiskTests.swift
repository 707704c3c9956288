import Foundation
import Testing

/// Tests of a daemon whose log can't be written.
@Suite struct `A daemon with a full log disk` {
    @Test(arguments: [([], 64), (["zone"], 64), (["no-such-command"], 64)] as [([String], Int32)])
    func `ends with its usual status, and not by a trap`(
        _ words: [String], _ status: Int32
    ) throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let process = Process()
        process.executableURL = try BuiltProducts.executable("anabranchd")
        process.arguments = words
        process.standardError = full
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit && process.terminationStatus == status)
    }
}
