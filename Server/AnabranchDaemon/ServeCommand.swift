import AnabranchServer
import Foundation

/// The command `anabranchd serve`.
enum ServeCommand {
    /// The options of `serve` and `check-config`.
    static let options = Set(ServeOption.all.map(\.name) + ["config"])

    static func run(_ arguments: [String]) throws {
        let options = try CommandOptions(arguments, of: "serve", known: options)
        guard !options.wantsHelp else { return print(HelpText.serve) }
        try options.expectNoWords()
        ProcessMemory.keepLittle()
        let settings = try ServeSettings(options)
        var server = try settings.serverOptions()
        if let socket = try PassedSockets.take() {
            guard settings["listen"] == nil else {
                throw settings.wrong("listen", PassedSockets.excludesListen)
            }
            try server.http.listen(onSocket: socket)
        }
        server.audit = try settings.auditLog()
        let log = RequestLog(
            least: try settings.logLevel(),
            wallMilliseconds: ServerEnvironment.system.wallMilliseconds,
            sink: StandardError.append)
        let location = try settings.location()
        let connections = try settings.databaseConnections()
        let plan = DescriptorPlan(
            limit: DescriptorLimit.raise(), for: server,
            databaseConnections: location.directory == nil ? connections : nil,
            hookCalls: try settings.hookCalls(workers: server.http.workers))
        for warning in plan.warnings { log.write(.warning, warning) }
        server = plan.options
        server.http.whenFreed = ProcessMemory.giveBack
        let store = try ZoneStore(location, connections: connections)
        // The signals are blocked before the server creates its threads, which inherit that.
        let signals = ServiceSignals()
        try serve(SyncServer(store, options: server, log: log), settings, server, log) { server in
            while true {
                switch signals.wait() {
                case .reload:
                    reopenAuditLog(server, log)
                    reload(options, server, log)
                case .stop(let name): return name
                }
            }
        }
    }

    /// Starts a server, and stops it when `wait` returns the name of a signal.
    private static func serve(
        _ server: SyncServer, _ settings: ServeSettings, _ options: SyncServer.Options,
        _ log: RequestLog, until wait: (SyncServer) -> String
    ) throws {
        let port = try server.start()
        try announceMetrics(server.startMetrics(), options.metrics, log)
        warnIfOpen(options.http, log)
        try announce(port, options.http, portFile: settings["port-file"])
        try ServiceState.ready.report()
        let signal = wait(server)
        endInTime(log)
        log.write(.info, "stopping on \(signal)")
        do { try ServiceState.stopping.report() } catch { log.write(.warning, "\(error)") }
        server.stop()
        log.write(.info, "stopped")
    }

    /// The time in seconds after which a stop ends the process, whatever still runs.
    private static let longestStop = 5.0

    /// Ends the process if its stop takes too long, because a disk or a database does not answer.
    ///
    /// What was acknowledged is on the disk, so nothing is lost, as after a crash. The end does not
    /// wait for its line in the log, because the log's disk may be the one that hangs.
    private static func endInTime(_ log: RequestLog) {
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: longestStop - 0.1)
            log.write(
                .warning, "stopped while something still ran: a disk or the database may hang")
            _exit(0)
        }
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: longestStop)
            _exit(0)
        }
    }

    /// Opens the file of the audit log again, also if the configuration has become wrong: a
    /// program such as logrotate has renamed the file.
    private static func reopenAuditLog(_ server: SyncServer, _ log: RequestLog) {
        do { try server.reopenAuditLog() } catch {
            log.write(.error, "kept the former file of the audit log: \(error)")
        }
    }

    /// Reads the configuration again and applies what can change while the server runs. An error
    /// leaves the settings as they are.
    private static func reload(_ options: CommandOptions, _ server: SyncServer, _ log: RequestLog) {
        do {
            let settings = try ServeSettings(options)
            let new = try settings.serverOptions()
            let level = try settings.logLevel()
            try server.reload(new)
            log.setLeast(level)
            log.write(.info, "read the configuration again")
        } catch {
            let cause = (error as? UsageError)?.message ?? "\(error)"
            log.write(.error, "kept the former configuration: \(cause)")
        }
    }

    private static func warnIfOpen(_ http: HTTPServerOptions, _ log: RequestLog) {
        let isLoopback = http.address == "::1" || http.address.hasPrefix("127.")
        guard !isLoopback, http.tls == nil else { return }
        log.write(
            .warning,
            "listening on \(http.address) without TLS: tokens and data are sent unencrypted; "
                + "use --tls-certificate and --tls-key, or a proxy with TLS")
    }

    private static func announceMetrics(
        _ port: Int?, _ http: HTTPServerOptions?, _ log: RequestLog
    ) throws {
        guard let port, let http else { return }
        let host = http.address.contains(":") ? "[\(http.address)]" : http.address
        log.write(.info, "metrics at http://\(host):\(port)/metrics")
    }

    private static func announce(
        _ port: Int, _ http: HTTPServerOptions, portFile: String?
    ) throws {
        if let portFile {
            try Data("\(port)\n".utf8).write(
                to: URL(fileURLWithPath: portFile), options: .atomic)
        }
        let scheme = http.tls == nil ? "http" : "https"
        let host = http.address.contains(":") ? "[\(http.address)]" : http.address
        print("anabranchd listening on \(scheme)://\(host):\(port)")
        fflush(nil)
    }
}
