#if os(Linux)
    import Foundation

    /// Starts daemons as systemd does: a listening socket is their descriptor 3.
    enum ActivatedDaemon {
        /// Starts a daemon. The shell keeps its process number when it becomes the daemon.
        ///
        /// - Parameters:
        ///   - sockets: The value of `LISTEN_FDS`.
        ///   - reports: The path of the socket that takes reports of states; empty for none.
        static func start(
            store: String, descriptor: Int32, sockets: Int = 1, reports: String = "",
            arguments: [String] = []
        ) throws -> (process: Process, errors: Pipe) {
            let process = Process()
            let errors = Pipe()
            process.executableURL = URL(filePath: "/bin/bash")
            process.arguments =
                [
                    "-c",
                    "exec 3<&0 4<&0 0</dev/null; LISTEN_PID=$$ LISTEN_FDS=\(sockets) exec \"$@\"",
                    "bash", try BuiltProducts.executable("anabranchd").path, "serve", "--store",
                    store,
                ] + arguments
            process.environment = ProcessInfo.processInfo.environment.merging(
                ["NOTIFY_SOCKET": reports]) { $1 }
            process.standardInput = FileHandle(
                fileDescriptor: descriptor, closeOnDealloc: false)
            process.standardOutput = FileHandle.nullDevice
            process.standardError = errors
            try process.run()
            return (process, errors)
        }
    }
#endif
