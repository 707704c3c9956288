#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// Tests of a watch that goes on while the test looks at it.
    @Suite(.waiting) struct WatchCommandTests {
        @Test func `an idle watch sleeps, shows a save, and ends at an interrupt`() throws {
            let bench = try Workbench()
            let watch = try RunningWatch(bench, ["--offline"])
            try expectSleep(of: watch, in: bench) {
                _ = try bench.run("insert", "Country", "code=I\($0)", "name=Idle")
            }
        }

        @Test func `an idle watch of a store without a zone sleeps`() throws {
            let bench = try Workbench()
            let watch = try RunningWatch(bench, [])
            try expectSleep(of: watch, in: bench) {
                _ = try bench.run("insert", "Country", "code=I\($0)", "name=Idle")
            }
            #expect(watch.errors.contains("The store has no zone yet."))
        }

        @Test func `an idle watch of a zone sleeps`() throws {
            let daemon = try RunningDaemon(zone: "geo")
            let benches = try (0..<2).map { _ in
                let bench = try Workbench()
                let run = try bench.run(
                    "sync", "--server", daemon.url, "--zone", "geo", "--token-file",
                    daemon.tokenFile)
                #expect(run.status == 0, "\(run.errors)")
                return bench
            }
            let watch = try RunningWatch(benches[0], ["--token-file", daemon.tokenFile])
            try expectSleep(of: watch, in: benches[0]) {
                _ = try benches[1].run("insert", "Country", "code=I\($0)", "name=Idle")
                let run = try benches[1].run("sync", "--token-file", daemon.tokenFile)
                #expect(run.status == 0, "\(run.errors)")
            }
        }

        @Test(arguments: [
            EventProxy.Treatment.answered(status: 502), .answered(status: 404), .buffered,
        ])
        func `a watch behind a proxy without events shows saves, and says once that it polls`(
            _ treatment: EventProxy.Treatment
        ) throws {
            let daemon = try RunningDaemon(zone: "geo")
            let proxy = try EventProxy(before: daemon.url, treatment)
            defer { proxy.close() }
            let benches = try [daemon.url, proxy.url].map { url in
                let bench = try Workbench()
                let run = try bench.run(
                    "sync", "--server", url, "--zone", "geo", "--token-file", daemon.tokenFile)
                #expect(run.status == 0, "\(run.errors)")
                return bench
            }
            let watch = try RunningWatch(
                benches[1], ["--poll", "1", "--token-file", daemon.tokenFile])
            func wait(for condition: () throws -> Bool) throws {
                while try !condition() {
                    try #require(watch.isRunning, "\(watch.errors)")
                    Thread.sleep(forTimeInterval: 0.05)
                }
            }
            try wait { watch.errors.contains("In sync with geo") }
            for number in 0..<3 {
                let shown = watch.output
                _ = try benches[0].run("insert", "Country", "code=I\(number)", "name=Polled")
                let run = try benches[0].run("sync", "--token-file", daemon.tokenFile)
                #expect(run.status == 0, "\(run.errors)")
                try wait { watch.output != shown }
            }
            // The silence of a stream shows only after a minute.
            guard treatment != .buffered else { return }
            let note = "Live events are missing, so the zone is polled every"
            try wait { watch.errors.contains(note) }
            try wait { try benches[1].run("status").output.contains("Live events   missing") }
            let asked = proxy.eventRequests
            try wait { proxy.eventRequests > asked + 1 }
            #expect(watch.errors.components(separatedBy: note).count == 2, "\(watch.errors)")
            proxy.set(.passed)
            try wait { watch.errors.contains("Live events arrive again.") }
            let status = try benches[1].run("status", "--json").output
            #expect(!status.contains("missingEvents"), "\(status)")
            #expect(watch.interrupt() == 0)
        }

        @Test func `a watch ends after its seconds, without a save`() throws {
            let bench = try Workbench()
            let run = try bench.run("watch", "--offline", "--for", "1")
            #expect(run.status == 0)
            #expect(run.output.isEmpty && run.errors.isEmpty)
        }

        /// Expects that a watch shows a save, then hardly runs while nothing happens, then shows
        /// another save, and ends at an interrupt.
        ///
        /// Another process closes the file after each save, so only the watch keeps SQLite's files
        /// beside it.
        private func expectSleep(
            of watch: RunningWatch, in bench: Workbench, _ save: (Int) throws -> Void
        ) throws {
            // The watch begins at the end of the log, so save until it has seen one.
            var number = 0
            while watch.output.isEmpty {
                try #require(watch.isRunning, "\(watch.errors)")
                try save(number)
                number += 1
                Thread.sleep(forTimeInterval: 0.2)
            }
            var shown = ""
            repeat {
                // What follows the last save has ended when nothing more is shown. The looks after
                // the last write are seconds apart by then.
                shown = watch.output
                Thread.sleep(forTimeInterval: 4)
            } while watch.output != shown
            let seconds = 3
            let before = try #require(ContextSwitches(ofProcess: watch.identifier))
            Thread.sleep(forTimeInterval: TimeInterval(seconds))
            let after = try #require(ContextSwitches(ofProcess: watch.identifier))
            // A look ten times a second is more than fifty switches a second.
            #expect(after.count(since: before) <= seconds * 10)

            // Each save shows by itself: none follows before it has shown.
            for next in number..<number + 8 {
                shown = watch.output
                try save(next)
                while watch.output == shown {
                    try #require(watch.isRunning, "\(watch.errors)")
                    Thread.sleep(forTimeInterval: 0.02)
                }
            }
            #expect(watch.interrupt() == 0)
        }
    }

    /// A watch of a store in a process of its own, which ends with this object.
    private final class RunningWatch {
        private let process = Process()
        private let files: [String]

        init(_ bench: Workbench, _ words: [String]) throws {
            files = try ["out", "err"].map { try bench.write("", to: $0) }
            process.executableURL = try ToolRun.executable()
            process.arguments = ["watch", bench.store, "--for", "300"] + words
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try FileHandle(forWritingTo: URL(filePath: files[0]))
            process.standardError = try FileHandle(forWritingTo: URL(filePath: files[1]))
            try process.run()
        }

        deinit {
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            process.waitUntilExit()
        }

        var isRunning: Bool { process.isRunning }
        var identifier: Int32 { process.processIdentifier }

        /// What the process has written up to now.
        var output: String { text(of: files[0]) }
        var errors: String { text(of: files[1]) }

        private func text(of file: String) -> String {
            (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        }

        /// Sends what Control-C sends, and waits for the end.
        ///
        /// - Returns: The exit status; -1 if a signal has ended the process.
        func interrupt() -> Int32 {
            process.interrupt()
            process.waitUntilExit()
            return process.terminationReason == .exit ? process.terminationStatus : -1
        }
    }
#endif
