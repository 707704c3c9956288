#if os(Linux)
    import TestSupport
    import Testing

    /// Tests of which build the scripts use that need the programs only to show something.
    @Suite(.waiting) struct ScriptBuildTests {
        private static let scripts = ["demo", "docs", "manual"]

        /// Runs a script up to its build, which fails.
        ///
        /// - Returns: The call of the compiler, and what the script printed.
        private func build(
            _ script: String, _ arguments: [String] = [],
            after prepare: (DebianUnderTest) throws -> Void = { _ in }
        ) throws -> (call: String, output: String) {
            let machine = try DebianUnderTest(installed: ScriptSetupTests.packages, userID: 1000)
            try prepare(machine)
            let needed = script == "manual" ? ["--output", "/nowhere"] : []
            let run = try machine.run(script, needed + arguments)
            #expect(run.status != 0)
            try #require(run.calls.count == 1, "\(run.calls)")
            return (run.calls[0], run.output)
        }

        private func call(_ configuration: String) -> String {
            "swift build --configuration \(configuration) --target Programs"
        }

        @Test(arguments: scripts)
        func `without a build one call builds both programs for debugging`(script: String) throws {
            let (made, output) = try build(script)
            #expect(made == call("debug"))
            #expect(output.hasPrefix("Anabranch is built for debugging. With two cores "))
        }

        @Test(arguments: scripts)
        func `the option release builds for release`(script: String) throws {
            let (made, output) = try build(script, ["--release"]) { machine in
                try machine.addBuild("debug", secondsAgo: 10)
            }
            #expect(made == call("release"))
            #expect(output.hasPrefix("Anabranch is built for release. With two cores "))
        }

        @Test(arguments: scripts, ["debug", "release"])
        func `the newest build is used`(script: String, newest: String) throws {
            let (made, output) = try build(script) { machine in
                try machine.addBuild("debug", secondsAgo: newest == "debug" ? 10 : 100)
                try machine.addBuild("release", secondsAgo: newest == "release" ? 10 : 100)
            }
            #expect(made == call(newest))
            #expect(output.hasPrefix("The programs are there, built for "))
        }

        @Test func `a build of one program is no build of both`() throws {
            let (made, _) = try build("demo") { machine in
                try machine.addBuild("release", programs: ["anabranch"], secondsAgo: 10)
            }
            #expect(made == call("debug"))
        }
    }
#endif
