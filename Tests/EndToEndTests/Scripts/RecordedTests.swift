/// The output and the report of a run of tests, as Swift Testing writes them.
struct RecordedTests {
    let output: String
    let report: String
    let status: Int32

    static let passed = RecordedTests(
        output: """
            ◇ Test run started.
            ◇ Suite LinkTests started.
            ◇ Test "a link is kept" started.
            ✔ Test "a link is kept" passed after 0.100 seconds.
            ✔ Test case passing 1 argument seed → 3 to "a link is cut" passed after 0.1 seconds.
            ✔ Test "a link is cut" with 2 test cases passed after 0.200 seconds.
            ➜ Test "a link of the fixtures" skipped: "there are no fixtures"
            ✔ Suite LinkTests passed after 1.400 seconds.
            ✔ Test run with 3 tests in 1 suite passed after 1.500 seconds.

            """,
        report: report(
            """
            <testcase classname="A.LinkTests" name="a" time="0.1" />
            <testcase classname="A.LinkTests" name="b" time="0.2" />
            <testcase classname="A.LinkTests" name="c">
              <skipped>there are no fixtures</skipped>
            </testcase>
            """), status: 0)

    static let failed = RecordedTests(
        output: """
            ◇ Test run started.
            ✔ Test "a link is kept" passed after 0.100 seconds.
            ✘ Test "a link is cut" recorded an issue at LinkTests.swift:7:9: Wrong: false
            ↳ The link has two ends.
            ✘ Test "a link is cut" failed after 0.200 seconds with 1 issue.
            ✘ Suite LinkTests failed after 1.400 seconds with 1 issue.
            ✘ Test run with 2 tests in 1 suite failed after 1.500 seconds with 1 issue.

            """,
        report: report(
            """
            <testcase classname="A.LinkTests" name="a" time="0.1" />
            <testcase classname="A.LinkTests" name="b" time="0.2">
              <failure message="Expectation failed: false" />
            </testcase>
            """), status: 1)

    /// A run of many suites with two tests each, of which one suite fails.
    static func many(suites count: Int, failing: Int) -> RecordedTests {
        var (lines, cases) = (["◇ Test run started."], [String]())
        for number in 1...count {
            let name = "Suite\(number)Tests"
            lines += ["◇ Suite \(name) started."]
            for test in ["a", "b"] {
                lines += ["✔ Test \"\(test) of \(number)\" passed after 0.100 seconds."]
                cases += ["<testcase classname=\"A.\(name)\" name=\"\(test)\" time=\"0.1\" />"]
            }
            lines += [
                number == failing
                    ? "✘ Suite \(name) failed after 1.400 seconds with 1 issue."
                    : "✔ Suite \(name) passed after 1.400 seconds."
            ]
        }
        return RecordedTests(
            output: lines.joined(separator: "\n") + "\n",
            report: report(cases.joined(separator: "\n")), status: 0)
    }

    private static func report(_ cases: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites>
        <testsuite name="TestResults">
        \(cases)
        </testsuite>
        </testsuites>

        """
    }
}
