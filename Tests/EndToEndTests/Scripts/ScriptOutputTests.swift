#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// Tests of what the scripts print of builds and of runs of tests.
    @Suite(.waiting) struct ScriptOutputTests {
        private let end = "The whole output: .build/logs/test.log"

        /// Runs `Scripts/test` with one filter, so that it runs the tests once.
        private func output(
            of tests: RecordedTests, _ arguments: [String] = []
        ) throws -> (status: Int32, lines: [String]) {
            let machine = try DebianUnderTest(
                installed: ScriptSetupTests.packages, userID: 1000, tests: tests)
            let run = try machine.run("test", ["--filter", "LinkTests"] + arguments)
            return (run.status, run.output.split(separator: "\n").map(String.init))
        }

        @Test func `a run that passes is a line for its build, for each suite, and the counts`()
            throws
        {
            let (status, lines) = try output(of: .passed)
            #expect(status == 0)
            try #require(lines.count == 5, "\(lines)")
            let building = "Building the tests (the first build takes some minutes) … "
            #expect(lines[0].hasPrefix(building) && lines[0].hasSuffix(" s"))
            #expect(lines[1] == "passed     1 s  LinkTests")
            #expect(lines[2] == "1 skipped: there are no fixtures")
            #expect(lines[3] == "2 passed, 0 failed, 1 skipped.")
            #expect(lines[4] == end)
        }

        @Test(arguments: [
            "bench", "cluster", "demo", "docs", "format", "manual", "partition", "release",
            "sanitize",
            "setup", "siege", "test",
        ])
        func `an option that a script lacks is named`(script: String) throws {
            let machine = try DebianUnderTest(
                installed: ScriptSetupTests.packages, userID: 1000, tests: .passed)
            let run = try machine.run(script, ["--relaese"])
            #expect(run.status == 64)
            #expect(
                run.output
                    == "There is no option --relaese. See 'Scripts/\(script) --help'.\n")
        }

        @Test func `a failure is printed in full after the suites`() throws {
            let (status, lines) = try output(of: .failed)
            #expect(status == 1)
            #expect(lines.contains("FAILED     1 s  LinkTests"))
            let place = try #require(lines.firstIndex(of: "Tests failed:"))
            #expect(
                lines[(place + 1)...].prefix(3) == [
                    "✘ Test \"a link is cut\" recorded an issue at LinkTests.swift:7:9: "
                        + "Wrong: false",
                    "↳ The link has two ends.",
                    "✘ Test \"a link is cut\" failed after 0.200 seconds with 1 issue.",
                ])
            #expect(lines.suffix(2) == ["1 passed, 1 failed, 0 skipped.", end])
        }

        @Test func `a run of many suites prints lines for the first and for those that fail`()
            throws
        {
            let (_, lines) = try output(of: .many(suites: 600, failing: 400))
            #expect(lines.count <= 60)
            #expect(lines.filter { $0.hasPrefix("passed ") }.count == 20)
            #expect(lines.contains("FAILED     1 s  Suite400Tests"))
            #expect(lines.suffix(2) == ["1200 passed, 0 failed, 0 skipped.", end])
        }

        @Test func `a line of counts comes regularly, and in an hour not a hundred times`() throws {
            // `is_time` reads the time from these three variables.
            let output = try ChildProcess.output(
                of: URL(filePath: "/usr/bin/env"),
                [
                    "bash", "-c",
                    """
                    source '\(ShippedFiles.package.path)/Scripts/shared/progress.bash'
                    start=0 written=0
                    for ((now = 0; now <= 3600; now++)); do
                        SECONDS=$now
                        if is_time; then echo $((now - written)); written=$now; fi
                    done
                    """,
                ])
            let pauses = output.split(separator: "\n").compactMap { Int($0) }
            #expect((50...100).contains(pauses.count), "\(pauses)")
            #expect(pauses.first == 15)
            #expect(pauses.allSatisfy { $0 <= 200 })
        }

        @Test func `the option verbose prints the whole output`() throws {
            let (status, lines) = try output(of: .passed, ["--verbose"])
            #expect(status == 0)
            let recorded = RecordedTests.passed.output.split(separator: "\n").map(String.init)
            #expect(Array(lines.dropFirst().prefix(recorded.count)) == recorded)
            #expect(lines.last == end)
        }

        @Test(arguments: ScriptSetupTests.scripts)
        func `a build that fails prints what the compiler says`(script: String) throws {
            let machine = try DebianUnderTest(installed: ScriptSetupTests.packages, userID: 1000)
            let (status, output, _) = try machine.run(script)
            #expect(status != 0)
            #expect(output.contains("failed after"))
            #expect(output.contains("a.swift:1:1: error: no b"))
            #expect(!output.contains("[1/2] Compiling"))
            #expect(output.contains("The whole output: .build/logs/build-"))
        }
    }
#endif
