import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of a hook that is a program, here a script of the shell.
@Suite struct CommandValidationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("command") }

    /// Creates a hook that is a script, with what it needs to write its process ID into `starts`.
    private func hook(_ script: String) throws -> CommandValidation {
        let path = directory.file("check")
        let head = "#!/bin/sh\necho $$ >> '\(directory.file("starts"))'\n"
        try Data((head + script + "\n").utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: path)
        return CommandValidation(path)
    }

    private var starts: [Int32] {
        let text = (try? String(contentsOfFile: directory.file("starts"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { Int32($0) }
    }

    private func ask(
        _ hook: CommandValidation, _ text: String = "ping", of zone: String = "notes",
        timeout: Duration = .seconds(60),
        unless stop: StopSignal = StopSignal()
    ) throws(ValidationFailure) -> String {
        let answer = try hook.answer(
            to: Array((text + "\n").utf8), of: zone, within: timeout, unless: stop)
        return String(decoding: answer, as: UTF8.self)
    }

    private static let echo = "while read -r line; do echo \"got $line\"; done"

    @Test func `one process answers line after line, and ends with the hook`() throws {
        let hook = try hook(Self.echo)
        for number in 1...50 { #expect(try ask(hook, "\(number)") == "got \(number)\n") }
        #expect(starts.count == 1)
        hook.close()
        #expect(starts.allSatisfy { kill($0, 0) != 0 })
    }

    @Test func `a request that is larger than a pipe is answered`() throws {
        let hook = try hook("exec cat")
        let text = String(repeating: "x", count: 3 << 20)
        #expect(try ask(hook, text) == text + "\n")
        hook.close()
    }

    @Test func `calls at once have a process each`() throws {
        let hook = try hook("while read -r line; do sleep 0.2; echo \"got $line\"; done")
        let answers = Mutex<Set<String>>([])
        startThreads(3) { number in
            let answer = try? hook.answer(
                to: Array("\(number)\n".utf8), of: "notes", within: .seconds(60),
                unless: StopSignal())
            answers.withLock { _ = $0.insert(String(decoding: answer ?? [], as: UTF8.self)) }
        }.wait()
        #expect(answers.withLock { $0.count } == 3)
        #expect(answers.withLock { $0.allSatisfy { $0.hasPrefix("got ") } })
        #expect((1...3).contains(starts.count))
        hook.close()
    }

    @Test func `a process that ended between two calls is replaced without a failure`() throws {
        let hook = try hook("read -r line; echo \"got $line\"")
        for number in 1...3 {
            #expect(try ask(hook, "\(number)") == "got \(number)\n")
            for _ in 0..<1000 where starts.contains(where: { isRunning($0) }) { usleep(2000) }
        }
        #expect(starts.count == 3)
        hook.close()
    }

    /// True unless the process has ended; one that nothing has waited for yet counts as ended.
    private func isRunning(_ process: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return status.map { !$0.contains(") Z ") } ?? false
    }

    @Test(arguments: [
        ("read -r line; exit 3", "it ended before it answered"),
        ("read -r line; printf 'a\\nb\\n'; sleep 60", "it wrote more than one line"),
        ("read -r line; exec tr '\\0' x < /dev/zero", "its answer has more than 16777216 bytes"),
        ("read -r line; exec yes", "it wrote more than one line"),
        ("read -r line; printf half; exit 0", "it ended before it answered"),
    ])
    func `a process that breaks the form is ended, and the next call starts another`(
        script: String, cause: String
    ) throws {
        let hook = try hook("[ -e '\(directory.file("healed"))' ] && exec cat\n" + script)
        let error = #expect(throws: ValidationFailure.self) { try ask(hook) }
        #expect(error?.cause.hasPrefix(cause) == true, "\(error?.cause ?? "")")
        #expect(starts.allSatisfy { !isRunning($0) })
        try Data().write(to: URL(filePath: directory.file("healed")))
        #expect(try ask(hook) == "ping\n")
        #expect(starts.count == 2)
        hook.close()
    }

    @Test func `a process without an answer in time is killed with what it started, and replaced`()
        throws
    {
        let child = directory.file("child")
        let hook = try hook("[ -e '\(child)' ] && exec cat\nsleep 600 & echo $! > '\(child)'; wait")
        let start = ContinuousClock.now
        let error = #expect(throws: ValidationFailure.self) {
            try ask(hook, timeout: .milliseconds(500))
        }
        #expect(error?.cause == "it gave no answer within 500 ms")
        #expect(ContinuousClock.now - start < .seconds(30))
        let text = try String(contentsOfFile: child, encoding: .utf8)
        let sleeper = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        for _ in 0..<1000 where isRunning(sleeper) { usleep(2000) }
        #expect(!isRunning(sleeper) && !isRunning(starts[0]))
        #expect(try ask(hook) == "ping\n" && starts.count == 2)
        hook.close()
    }

    @Test func `the process for an unanswered call serves the next call of its zone`() throws {
        let hook = try hook(
            """
            while read -r line; do
                [ "$line" = hang ] && sleep 600
                while [ "$(wc -l < '\(directory.file("starts"))')" -lt 2 ]; do sleep 0.01; done
                echo "$$"
            done
            """)
        defer { hook.close() }
        startThreads(2) { _ in _ = try? ask(hook) }.wait()
        let before = Set(starts)
        try #require(before.count == 2)
        let error = #expect(throws: ValidationFailure.self) {
            try ask(hook, "hang", of: "hung", timeout: .milliseconds(300))
        }
        #expect(error == .noAnswer(within: .milliseconds(300)))
        let own = try ask(hook, of: "hung")
        #expect(starts.last.map { "\($0)\n" } == own && !before.contains(starts.last ?? 0))
    }

    @Test func `a process that does not answer is killed when the server stops`() throws {
        let hook = try hook("read -r line; sleep 600")
        let stop = StopSignal()
        stop.begin(allowing: .milliseconds(200))
        let error = #expect(throws: ValidationFailure.self) {
            try ask(hook, timeout: .seconds(3600), unless: stop)
        }
        #expect(error == .isStopping)
        #expect(starts.count == 1 && !isRunning(starts[0]))
    }

    @Test func `a line that comes without a request is not taken for the next answer`() throws {
        let hook = try hook(
            "while read -r line; do echo \"got $line\"; (sleep 0.1; echo late) & wait; done")
        #expect(try ask(hook, "1") == "got 1\n")
        usleep(400_000)
        #expect(try ask(hook, "2") == "got 2\n")
        #expect(starts.count == 2)
        hook.close()
    }

    @Test func `a program that can't be started is a failure with its reason`() throws {
        let hook = CommandValidation(directory.file("missing"))
        let error = #expect(throws: ValidationFailure.self) { try ask(hook) }
        #expect(error?.cause.contains("can't be started: No such file") == true)
    }
}
