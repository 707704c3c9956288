import AnabranchServer
import Foundation

/// The command `anabranchd serve`.
enum ServeCommand {
    private static let options: Set<String> = [
        "store", "listen", "port-file", "tls-certificate", "tls-key", "clock-limit", "body-limit",
        "buffer-limit", "change-set-limit", "connections", "connections-per-address", "workers",
        "database-connections", "log-level",
    ]

    static func run(_ arguments: [String]) throws {
        let options = try CommandOptions(arguments, of: "serve", known: options)
        guard !options.wantsHelp else { return print(HelpText.serve) }
        try options.expectNoWords()
        var settings = try settings(options)
        if let socket = try PassedSockets.take() {
            guard options["listen"] == nil else {
                throw options.usage(PassedSockets.excludesListen)
            }
            try settings.http.listen(onSocket: socket)
        }
        let log = RequestLog(
            least: try level(options), wallMilliseconds: ServerEnvironment.system.wallMilliseconds,
            sink: StandardError.write)
        let store = try options.store(creating: true)
        // The signals are blocked before the server creates its threads, which inherit that.
        let signals = StopSignals()
        let server = SyncServer(store, options: settings, log: log)
        let port = try server.start()
        warnIfOpen(settings.http, log)
        try announce(port, settings.http, options)
        try ServiceState.ready.report()
        let signal = signals.wait()
        log.write(.info, "stopping on \(signal)")
        do { try ServiceState.stopping.report() } catch { log.write(.warning, "\(error)") }
        server.stop()
        log.write(.info, "stopped")
    }

    private static func settings(_ options: CommandOptions) throws -> SyncServer.Options {
        var settings = SyncServer.Options()
        let (address, port) = try listen(options)
        settings.http.address = address
        settings.http.port = port
        settings.http.tls = try tls(options)
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
        if let count = try options.number("workers", in: 1...1024) {
            settings.http.workers = count
        }
        return settings
    }

    private static func listen(_ options: CommandOptions) throws -> (String, Int) {
        let text = options["listen"] ?? "127.0.0.1:8080"
        guard let colon = text.lastIndex(of: ":"),
            let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port)
        else {
            throw options.usage(
                "The option --listen takes an address and a port, as in 127.0.0.1:8080, not "
                    + "\"\(text)\".")
        }
        var address = String(text[..<colon])
        if address.hasPrefix("["), address.hasSuffix("]") {
            address = String(address.dropFirst().dropLast())
        }
        return (address, port)
    }

    private static func tls(
        _ options: CommandOptions
    ) throws -> (certificate: String, key: String)? {
        switch (options["tls-certificate"], options["tls-key"]) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            return (try text(ofFile: certificate), try text(ofFile: key))
        default:
            throw options.usage(
                "The options --tls-certificate and --tls-key must be used together.")
        }
    }

    private static func text(ofFile path: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw HTTPServerError("Can't read the file \(path).")
        }
        return String(decoding: data, as: UTF8.self)
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
