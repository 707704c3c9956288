#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    @Suite(.waiting) struct IdleTests {
        @Test func `a daemon without requests sleeps, also after one`() throws {
            let folder = try TemporaryDirectory("idle")
            let daemon = try DaemonUnderTest(in: folder)
            try expectSleep(of: daemon)
            let client = try LoopbackClient(port: daemon.port)
            client.get("/v1/health")
            #expect(client.statusLine() == "HTTP/1.1 200 OK")
            try expectSleep(of: daemon)
        }

        /// Expects three seconds in which at most three times a thread of the daemon runs.
        ///
        /// What comes before such a time is the end of its start and of its last request.
        private func expectSleep(of daemon: DaemonUnderTest) throws {
            var counts: [Int] = []
            while counts.count < 20, counts.last.map({ $0 > 3 }) ?? true {
                let before = try #require(ContextSwitches(ofProcess: daemon.identifier))
                Thread.sleep(forTimeInterval: 3)
                let after = try #require(ContextSwitches(ofProcess: daemon.identifier))
                counts.append(after.count(since: before))
            }
            #expect(counts.last.map { $0 <= 3 } ?? false, "\(counts)")
        }
    }
#endif
