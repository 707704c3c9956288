#if os(Linux)
    import AnabranchSync
    import Foundation
    import TestSupport
    import Testing

    /// Tests of the shipped configuration of nginx: a real nginx before a real daemon.
    @Suite(
        .waiting,
        .enabled("nginx, curl or OpenSSL's program is not installed.") {
            ShippedFiles.isInstalled("nginx") && ShippedFiles.isInstalled("curl")
                && TestCertificates.canBeMade
        })
    struct NginxTests {
        private let folder: TemporaryDirectory
        private let certificates: TestCertificates
        private let daemon: DaemonUnderTest
        private let nginx: ChildProcess
        private let port: Int

        init() throws {
            folder = try TemporaryDirectory("nginx")
            certificates = try TestCertificates()
            _ = try certificates.issue()
            daemon = try DaemonUnderTest(in: folder)
            port = try Self.freePort()
            let shipped = try ShippedFiles.text("nginx/anabranch.conf")
                .replacing("listen 443 ssl", with: "listen 127.0.0.1:\(port) ssl")
                .replacing("server 127.0.0.1:8080", with: "server 127.0.0.1:\(daemon.port)")
                .replacing("/etc/ssl/certs/anabranch.pem", with: certificates.files.certificate)
                .replacing("/etc/ssl/private/anabranch.key", with: certificates.files.key)
            try Self.write(shipped, to: folder.file("anabranch.conf"))
            try Self.write(Self.configuration(folder), to: folder.file("nginx.conf"))
            nginx = try ChildProcess(
                try #require(ShippedFiles.program("nginx")),
                [
                    "-p", folder.path, "-e", folder.file("nginx.log"), "-c",
                    folder.file("nginx.conf"),
                ],
                log: folder.url.appending(path: "nginx.log"))
        }

        private static func freePort() throws -> Int { try LoopbackSocket().port }

        private static func write(_ text: String, to path: String) throws {
            try Data(text.utf8).write(to: URL(filePath: path))
        }

        /// The main file of nginx, which reads the shipped one. One process does all, so that the
        /// test ends it with certainty.
        private static func configuration(_ folder: TemporaryDirectory) -> String {
            let scratch = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
                .map { "\($0)_temp_path \(folder.file("temp-\($0)"));" }.joined(separator: "\n")
            return """
                daemon off;
                master_process off;
                pid \(folder.file("nginx.pid"));
                events { worker_connections 256; }
                http {
                access_log off;
                \(scratch)
                include \(folder.file("anabranch.conf"));
                }

                """
        }

        private func url(_ path: String) -> String { "https://127.0.0.1:\(port)\(path)" }

        /// Runs curl until nginx listens.
        private func curl(_ arguments: String...) throws -> String {
            let (status, output) = try ShippedFiles.run(
                try #require(ShippedFiles.program("curl")),
                [
                    "--silent", "--show-error", "--cacert", certificates.authority, "--retry",
                    "60", "--retry-connrefused", "--retry-delay", "1", "--max-time", "120",
                ] + arguments)
            #expect(status == 0, "\(output) \(log)")
            return output
        }

        private var log: String {
            (try? String(contentsOfFile: folder.file("nginx.log"), encoding: .utf8)) ?? ""
        }

        private func exchange() throws -> NotesExchange {
            var options = SyncOptions()
            options.certificateAuthorities = certificates.authority
            return NotesExchange(
                folder: folder, server: try #require(URL(string: url(""))), token: daemon.token,
                options: options)
        }

        @Test func `stores sync through the proxy, and an event passes at once`() async throws {
            _ = try curl(url("/v1/health"))
            let events = folder.file("events")
            let listener = try ChildProcess(
                try #require(ShippedFiles.program("curl")),
                [
                    "--silent", "--no-buffer", "--cacert", certificates.authority, "--header",
                    "Authorization: Bearer \(daemon.token)", "--output", events,
                    url("/v1/zones/notes/events"),
                ])
            #expect(waitFor("\"position\":0}", in: events), "\(log)")
            try await exchange().run()
            #expect(waitFor("\"position\":1}", in: events), "\(log)")
            #expect(listener.isRunning)
        }

        /// The limit is shorter than the time between two heartbeats, which would flush a buffer.
        private func waitFor(_ text: String, in file: String) -> Bool {
            let deadline = Date(timeIntervalSinceNow: 10)
            while Date() < deadline {
                let found = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
                if found.contains(text) { return true }
                usleep(10_000)
            }
            return false
        }

        @Test func `the ID of a request is the proxy's, and is in the daemon's log`() throws {
            let head = try curl("--dump-header", "-", "--output", "/dev/null", url("/v1/ready"))
            let id = try #require(head.firstMatch(of: /(?i)x-request-id: ([0-9a-f]{32})/)?.1)
            for _ in 0..<1_000 where !daemonLog.contains(id) { usleep(10_000) }
            #expect(daemonLog.contains(id))
        }

        private var daemonLog: String {
            (try? String(contentsOf: daemon.log, encoding: .utf8)) ?? ""
        }

        @Test func `a body beyond the limit and another path are refused by the proxy`() throws {
            let body = folder.file("body")
            try Data(count: (64 << 20) + 1).write(to: URL(filePath: body))
            let status = ["--output", "/dev/null", "--write-out", "%{http_code}"]
            #expect(
                try curl(
                    status[0], status[1], status[2], status[3], "--header", "Expect:",
                    "--data-binary", "@\(body)", url("/v1/zones/notes/push")) == "413")
            #expect(
                try curl(status[0], status[1], status[2], status[3], url("/metrics")) == "404")
        }
    }
#endif
