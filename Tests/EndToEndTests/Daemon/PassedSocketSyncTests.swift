#if os(Linux)
    import AnabranchSync
    import Foundation
    import TestSupport
    import Testing

    /// Tests of clients that sync through a socket which the service manager passed.
    @Suite(.waiting) struct PassedSocketSyncTests {
        private let folder: TemporaryDirectory

        init() throws { folder = try TemporaryDirectory("passed") }

        /// Saves a note in one store, and syncs it through the daemon to another store.
        private func exchange(
            through listening: LoopbackSocket, at server: String, arguments: [String] = [],
            options: SyncOptions = SyncOptions()
        ) async throws {
            let store = "sqlite:\(folder.file("zones"))"
            let token = try ChildProcess.output(
                of: BuiltProducts.executable("anabranchd"),
                ["token", "create", "--zone", "notes", "--role", "write", "--store", store])
            let daemon = try ActivatedDaemon.start(
                store: store, descriptor: listening.descriptor, arguments: arguments)
            defer {
                daemon.process.terminate()
                daemon.process.waitUntilExit()
            }
            let url = try #require(URL(string: "\(server):\(listening.port)"))
            try await NotesExchange(folder: folder, server: url, token: token, options: options)
                .run()
        }

        @Test func `stores sync over IPv6`() async throws {
            let listening = try LoopbackSocket(isVersion6: true)
            try await exchange(through: listening, at: "http://[::1]")
        }

        @Test(
            .enabled(
                if: TestCertificates.canBeMade, "OpenSSL's program makes the certificates"),
            arguments: [false, true])
        func `stores sync over TLS`(isVersion6: Bool) async throws {
            let certificates = try TestCertificates()
            _ = try certificates.issue(names: "IP:127.0.0.1,IP:::1")
            var options = SyncOptions()
            options.certificateAuthorities = certificates.authority
            try await exchange(
                through: LoopbackSocket(isVersion6: isVersion6),
                at: isVersion6 ? "https://[::1]" : "https://127.0.0.1",
                arguments: [
                    "--tls-certificate", certificates.files.certificate, "--tls-key",
                    certificates.files.key,
                ], options: options)
        }
    }
#endif
