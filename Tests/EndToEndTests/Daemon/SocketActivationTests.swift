#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// Tests of a daemon that a service manager starts. The test takes the place of systemd: it
    /// passes a listening socket as descriptor 3, and receives the reports of states.
    @Suite(.waiting) struct SocketActivationTests {
        private let folder: TemporaryDirectory
        private let listening: LoopbackSocket

        init() throws {
            folder = try TemporaryDirectory("activation")
            listening = try LoopbackSocket()
        }

        private func start(
            sockets: Int = 1, reports: String = "", arguments: [String] = [],
            descriptor: Int32? = nil
        ) throws -> (process: Process, errors: Pipe) {
            try ActivatedDaemon.start(
                store: "sqlite:\(folder.file("zones"))",
                descriptor: descriptor ?? listening.descriptor, sockets: sockets,
                reports: reports, arguments: arguments)
        }

        private func outcome(
            of daemon: (process: Process, errors: Pipe)
        ) -> (status: Int32, errors: String) {
            let data = daemon.errors.fileHandleForReading.readDataToEndOfFile()
            daemon.process.waitUntilExit()
            return (daemon.process.terminationStatus, String(decoding: data, as: UTF8.self))
        }

        private func health() throws -> String {
            let client = try LoopbackClient(port: listening.port)
            client.get("/v1/health")
            return client.statusLine()
        }

        @Test(arguments: [false, true])
        func `a daemon serves the passed socket and reports its states`(
            isAbstract: Bool
        ) throws {
            let name = isAbstract ? "@anabranch-\(UUID().uuidString)" : folder.file("notify")
            let reports = try ReportSocket(name)
            let daemon = try start(reports: reports.path)
            #expect(reports.next() == "READY=1")
            #expect(try health() == "HTTP/1.1 200 OK")
            daemon.process.terminate()
            #expect(reports.next() == "STOPPING=1")
            #expect(outcome(of: daemon).status == 0)
        }

        @Test func `a connection waits in the socket for the next daemon`() throws {
            let reports = try ReportSocket(folder.file("notify"))
            let first = try start(reports: reports.path)
            #expect(reports.next() == "READY=1")
            first.process.terminate()
            #expect(outcome(of: first).status == 0)
            #expect(reports.next() == "STOPPING=1")
            let client = try LoopbackClient(port: listening.port)
            client.get("/v1/health")
            let second = try start(reports: reports.path)
            #expect(client.statusLine() == "HTTP/1.1 200 OK")
            second.process.terminate()
            #expect(outcome(of: second).status == 0)
        }

        @Test(arguments: [0, 2])
        func `a wrong number of sockets ends the daemon`(count: Int) throws {
            let (status, errors) = outcome(of: try start(sockets: count))
            #expect(status == 1)
            #expect(errors.contains("Can't listen on \(count) sockets"), "\(errors)")
            #expect(!FileManager.default.fileExists(atPath: folder.file("zones")))
        }

        @Test func `a passed file that is no listening socket ends the daemon`() throws {
            let file = try FileHandle(forReadingFrom: URL(filePath: "/dev/null"))
            let (status, errors) = outcome(of: try start(descriptor: file.fileDescriptor))
            #expect(status == 1)
            #expect(errors.contains("not a TCP socket that listens"), "\(errors)")
        }

        @Test func `the option listen is refused beside a passed socket`() throws {
            let (status, errors) = outcome(of: try start(arguments: ["--listen", "127.0.0.1:0"]))
            #expect(status == 64)
            #expect(errors.contains("ListenStream="), "\(errors)")
        }

        @Test func `a service manager that takes no reports is an error with its cause`() throws {
            let missing = folder.file("missing")
            let (status, errors) = outcome(of: try start(reports: missing))
            #expect(status == 1)
            #expect(
                errors.contains("\(missing) because of this error: No such file"), "\(errors)")
        }
    }
#endif
