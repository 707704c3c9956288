#if os(Linux)
    import Anabranch
    import AnabranchStore
    import AnabranchSync
    import Foundation
    import TestSupport
    import Testing

    /// Tests of the shipped configuration of nginx, with the ports and files of a test.
    @Suite(.enabled(if: ProxyTests.isInstalled, "nginx or OpenSSL's program is not installed"))
    struct ProxyTests {
        static let isInstalled =
            FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx")
            && TestCertificates.canBeMade

        /// A running nginx before a daemon.
        private final class Proxy {
            let port: Int
            private let process = Process()

            init(
                before daemon: Int, in folder: TemporaryDirectory, _ certificates: TestCertificates
            ) throws {
                _ = try certificates.issue()
                let files = certificates.files
                port = try FreePort.find()
                var site = try String(
                    contentsOf: Shell.package.appending(path: "Packaging/nginx/anabranch.conf"),
                    encoding: .utf8)
                for (text, other) in [
                    ("server 127.0.0.1:8080;", "server 127.0.0.1:\(daemon);"),
                    ("listen 443 ssl", "listen 127.0.0.1:\(port) ssl"),
                    ("/etc/ssl/certs/sync.example.org.pem", files.certificate),
                    ("/etc/ssl/private/sync.example.org.key", files.key),
                ] {
                    try #require(site.contains(text))
                    site = site.replacingOccurrences(of: text, with: other)
                }
                try Data(site.utf8).write(to: URL(filePath: folder.file("site.conf")))
                try Data(Self.main(folder.path).utf8).write(
                    to: URL(filePath: folder.file("nginx.conf")))
                process.executableURL = URL(filePath: "/usr/sbin/nginx")
                process.arguments = ["-e", folder.file("errors"), "-c", folder.file("nginx.conf")]
                process.standardError = FileHandle.nullDevice
                try process.run()
            }

            private static func main(_ folder: String) -> String {
                """
                daemon off;
                pid \(folder)/nginx.pid;
                error_log \(folder)/errors;
                events {}
                http {
                    access_log off;
                    client_body_temp_path \(folder)/body;
                    proxy_temp_path \(folder)/proxy;
                    fastcgi_temp_path \(folder)/fastcgi;
                    uwsgi_temp_path \(folder)/uwsgi;
                    scgi_temp_path \(folder)/scgi;
                    include \(folder)/site.conf;
                }

                """
            }

            deinit {
                process.terminate()
                process.waitUntilExit()
            }
        }

        private func container(_ name: String, in folder: TemporaryDirectory) throws
            -> PersistentContainer
        {
            let container = PersistentContainer(
                model: try NotesModel.make(), url: URL(filePath: folder.file(name)))
            try container.load()
            return container
        }

        @Test func `a client syncs through nginx, and hears of saves at once`() async throws {
            let folder = try TemporaryDirectory("proxy")
            let daemon = try DaemonUnderTest(in: folder, options: ["--proxies", "127.0.0.1"])
            defer { _ = daemon.stop() }
            let certificates = try TestCertificates()
            let proxy = try Proxy(before: daemon.port, in: folder, certificates)
            let url = try #require(URL(string: "https://127.0.0.1:\(proxy.port)"))
            var options = SyncOptions()
            options.certificateAuthorities = certificates.authority
            let (author, reader) = (
                try container("author", in: folder), try container("reader", in: folder)
            )
            func engine(_ container: PersistentContainer) throws -> SyncEngine {
                try SyncEngine(
                    container: container, server: url, zone: DaemonUnderTest.zone,
                    token: daemon.token, options: options)
            }
            let listening = try engine(reader)
            listening.start()
            try await waitUntil { listening.status.lastExchange != nil }
            try await author.performBackgroundTask { context in
                let note = try context.insert("Note")
                note["text"] = .string(String(repeating: "through a proxy ", count: 100_000))
                try context.save()
            }
            #expect(try await engine(author).synchronize().isCaughtUp)
            // A proxy that collects events would pass them on only after the 60 seconds in which
            // the client waits for a sign of life.
            try await waitUntil {
                try await reader.performBackgroundTask { context in
                    try context.count(for: FetchRequest<ManagedObject>(entityName: "Note")) == 1
                }
            }
            await listening.stop()
            let log = try String(contentsOf: daemon.log, encoding: .utf8)
            #expect(log.contains("\"address\":\"127.0.0.1\""))
            withExtendedLifetime(proxy) {}
        }

        private func waitUntil(_ condition: () async throws -> Bool) async throws {
            let deadline = ContinuousClock.now + .seconds(30)
            while ContinuousClock.now < deadline {
                if try await condition() { return }
                try await Task.sleep(for: .milliseconds(50))
            }
            Issue.record("it did not happen within 30 seconds")
        }
    }
#endif
