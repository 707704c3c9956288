import Foundation
import TestSupport
import Testing

/// Tests of a command with streams that can't be written.
@Suite(.waiting) struct LostOutputTests {
    private let bench: Workbench

    /// Creates a store of which an export is longer than a pipe and the program's buffer.
    init() throws {
        bench = try Workbench()
        let codes = (0..<300).map { "\($0)" + String(repeating: "x", count: 1000) }
        let filling = try bench.run(
            "import", "Country", "-", "--format", "csv",
            input: "code\n" + codes.joined(separator: "\n") + "\n")
        #expect(filling.status == 0, "\(filling.errors)")
    }

    private func export(_ redirection: String? = nil) throws -> ToolRun {
        try ToolRun(
            ["export", bench.store, "Country", "--format", "csv", "--columns", "code"],
            redirection: redirection)
    }

    @Test(arguments: [
        (">/dev/full", "No space left on device"), (">&-", "Bad file descriptor"),
        ("<&- >&-", "Bad file descriptor"),
    ])
    func `output that can't be written ends the command, which says why`(
        redirection: String, cause: String
    ) throws {
        for run in [
            try export(redirection), try ToolRun(["--version"], redirection: redirection),
        ] {
            #expect(run.status == 74)
            #expect(run.errors == "anabranch: Can't write the output: \(cause).\n")
        }
    }

    @Test(arguments: ["| true", "| head -n 1", "2>&1 | true"])
    func `a reader that ends ends the command without a word`(redirection: String) throws {
        let run = try export(redirection)
        #expect(run.status == 74 && run.errors.isEmpty, "\(run.errors)")
        #expect(run.output == (redirection.contains("head") ? "code\n" : ""))
    }

    @Test(arguments: [">/dev/full 2>&1", ">&- 2>&-", "<&- >&- 2>&-", ">/dev/full 2>&-"])
    func `without any stream the status is left`(redirection: String) throws {
        #expect(try export(redirection).status == 74)
        #expect(try ToolRun(["ftech"], redirection: redirection).status == 64)
        let insert = ["insert", bench.store, "Country", "code=\(redirection)"]
        #expect(try ToolRun(insert, redirection: redirection).status == 74)
        #expect(try bench.run("fetch", "Country", "--count").output == "301\n")
        #expect(try bench.run("verify", "--offline").status == 0)
    }

    @Test(arguments: ["2>/dev/full", "2>&-", "<&- 2>&-", "2>&1 >&- | true"])
    func `a message that can't be written changes nothing else`(redirection: String) throws {
        let missing = ["get", bench.store, "Country", "code=none"]
        #expect(try ToolRun(missing, redirection: redirection).status == 1)
        #expect(try ToolRun(["ftech"], redirection: redirection).status == 64)
        #expect(try ToolRun([], redirection: redirection).status == 64)
        guard !redirection.contains(">&- |") else { return }
        let (lost, whole) = (try export(redirection), try export())
        #expect(lost.status == 0 && lost.output == whole.output)
    }

    /// The command prints its output and then a note, and has no other reason to fail.
    @Test func `a note after output that can't be written hides no failure`() throws {
        let daemon = try RunningDaemon(zone: "geo")
        let zone = ["--server", daemon.url, "--zone", "geo", "--token-file", daemon.tokenFile]
        #expect(try ToolRun(["sync", bench.store] + zone).status == 0)
        let other = try Workbench(
            model: """
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Note"/></model>
                """)
        let run = try ToolRun(["sync", other.store] + zone, redirection: ">/dev/full")
        #expect(run.errors.contains("Warning: "), "\(run.errors)")
        #expect(run.errors.contains("Can't write the output") && run.status == 74)
    }
}
