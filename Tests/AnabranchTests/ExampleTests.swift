import Foundation
import TestSupport
import Testing

@Suite struct `Examples` {
    @Test func `the example with a thousand people finds 101 of them`() async throws {
        let directory = try TemporaryDirectory("people")
        let process = Process()
        process.executableURL = Self.products.appending(path: "People")
        process.arguments = [directory.file("people.anabranch")]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(String(decoding: bytes, as: UTF8.self) == "101 people, from 100 to 200 years old\n")
    }

    /// The build puts programs beside the tests.
    private static var products: URL {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        return bundle?.bundleURL.deletingLastPathComponent()
            ?? URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    }
}
