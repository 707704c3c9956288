import AnabranchServer
import Foundation

/// The command `anabranchd serve`.
enum ServeCommand {
    private static let options: Set<String> = [
        "store", "listen", "metrics-listen", "port-file", "tls-certificate", "tls-key",
        "clock-limit", "body-limit",
        "buffer-limit", "change-set-limit", "connections", "connections-per-address", "workers",
        "database-connections", "open-zones", "log-level",
    ]

    static func run(_ arguments: [String]) throws {
        let options = try CommandOptions(
            arguments, of: "serve", known: options.union(validationOptions))
        guard !options.wantsHelp else { return print(HelpText.serve) }
        try options.expectNoWords()
        let settings = try settings(options)
        raiseDescriptorLimit()
        let log = RequestLog(
            least: try level(options), wallMilliseconds: ServerEnvironment.system.wallMilliseconds,
            sink: StandardError.write)
        let store = try options.store(creating: true)
        // The signals are blocked before the server creates its threads, which inherit that.
        let signals = StopSignals()
        let server = SyncServer(store, options: settings, log: log)
        let port = try server.start()
        try announceMetrics(server.startMetrics(), settings.metrics, log)
        warnIfOpen(settings.http, log)
        try announce(port, settings.http, options)
        let signal = signals.wait()
        log.write(.info, "stopping on \(signal)")
        server.stop()
        log.write(.info, "stopped")
    }

    /// Allows as many open files as the system does: the usual limit of 1,024 is for programs that
    /// use `select`.
    private static func raiseDescriptorLimit() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        guard getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(Int32(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func settings(_ options: CommandOptions) throws -> SyncServer.Options {
        var settings = SyncServer.Options()
        let (address, port) = try listen(options, "listen", or: "127.0.0.1:8080")
        settings.http.address = address
        settings.http.port = port
        if options["metrics-listen"] != nil {
            var metrics = HTTPServerOptions()
            (metrics.address, metrics.port) = try listen(options, "metrics-listen", or: "")
            metrics.connections = 64
            metrics.workers = 1
            settings.metrics = metrics
        }
        let certificate = try tls(options)
        settings.http.tls = certificate.map { ($0.chain, $0.key) }
        settings.certificate = certificate
        if let seconds = try options.number("clock-limit", in: 0...31_536_000) {
            settings.zones.clockMilliseconds = Int64(seconds) * 1000
        }
        if let bytes = try options.number("body-limit", in: 1024...(1 << 30)) {
            settings.zones.bodyBytes = bytes
            settings.zones.changeSetBytes = bytes
        }
        if let bytes = try options.number("change-set-limit", in: 1024...(1 << 30)) {
            settings.zones.changeSetBytes = bytes
        }
        if let bytes = try options.number("buffer-limit", in: 1024...(1 << 40)) {
            settings.http.bufferedBytes = bytes
        }
        if let count = try options.number("connections", in: 1...1_000_000) {
            settings.http.connections = count
        }
        if let count = try options.number("connections-per-address", in: 1...1_000_000) {
            settings.http.connectionsPerAddress = count
        }
        if let count = try options.number("open-zones", in: 1...100_000) {
            settings.openZones = count
        }
        if let count = try options.number("workers", in: 1...1024) {
            settings.http.workers = count
        }
        try setValidation(options, &settings)
        return settings
    }

    /// Reads an address and a port from an option.
    private static func listen(
        _ options: CommandOptions, _ name: String, or standard: String
    ) throws -> (String, Int) {
        let text = options[name] ?? standard
        guard let colon = text.lastIndex(of: ":"),
            let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port)
        else {
            throw options.usage(
                "The option --\(name) takes an address and a port, as in 127.0.0.1:8080, not "
                    + "\"\(text)\".")
        }
        var address = String(text[..<colon])
        if address.hasPrefix("["), address.hasSuffix("]") {
            address = String(address.dropFirst().dropLast())
        }
        return (address, port)
    }

    private static func tls(_ options: CommandOptions) throws -> ServerCertificate? {
        switch (options["tls-certificate"], options["tls-key"]) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            return try ServerCertificate(certificateFile: certificate, keyFile: key)
        default:
            throw options.usage(
                "The options --tls-certificate and --tls-key must be used together.")
        }
    }

    private static func level(_ options: CommandOptions) throws -> RequestLog.Level {
        guard let text = options["log-level"] else { return .info }
        guard let level = RequestLog.Level(rawValue: text) else {
            throw options.usage("The option --log-level takes debug, info, warning or error.")
        }
        return level
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
        _ port: Int, _ http: HTTPServerOptions, _ options: CommandOptions
    ) throws {
        if let file = options["port-file"] {
            try Data("\(port)\n".utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
        }
        let scheme = http.tls == nil ? "http" : "https"
        let host = http.address.contains(":") ? "[\(http.address)]" : http.address
        print("anabranchd listening on \(scheme)://\(host):\(port)")
        fflush(nil)
    }
}
