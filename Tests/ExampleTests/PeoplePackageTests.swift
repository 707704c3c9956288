import Foundation
import TestSupport
import Testing

/// Builds and runs the example that is a package of its own, as the package of an app is.
@Suite(.waiting) struct `The example with a model file` {
    /// The build stays below `.build`, so that the next one compiles only what has changed.
    private static let scratch = SwiftCommand.package.appending(path: ".build/people").path

    @Test(.long) func `the plug-in generates the classes, and the program finds 101 people`() throws
    {
        let folder = SwiftCommand.package.appending(path: "Examples/People")
        let build = try SwiftCommand.run(["build", "--scratch-path", Self.scratch], in: folder)
        try #require(build.status == 0, "\(build.output)")
        let run = try SwiftCommand.run(
            ["run", "--skip-build", "--scratch-path", Self.scratch, "People"], in: folder)
        #expect(run.status == 0)
        #expect(run.output.hasSuffix("101 people, aged 100 to 200\n51 of them live in Bern\n"))
    }
}
