import AnabranchServer
import Foundation

extension ServeSettings {
    /// The settings of a server, with its certificate read and checked.
    func serverOptions() throws -> SyncServer.Options {
        var options = SyncServer.Options()
        (options.http.address, options.http.port) = try listen("listen", or: "127.0.0.1:8080")
        if self["metrics-listen"] != nil {
            var metrics = HTTPServerOptions()
            (metrics.address, metrics.port) = try listen("metrics-listen", or: "")
            metrics.connections = 64
            metrics.workers = 1
            options.metrics = metrics
        }
        let certificate = try certificate()
        options.http.tls = certificate.map { ($0.chain, $0.key) }
        options.certificate = certificate
        options.http.clientAuthorities = try clientAuthorities()
        options.http.proxies = TrustedProxies(try proxies())
        try readLimits(into: &options)
        options.compaction = try compaction()
        options.identity = try identity()
        options.hook = try hook(workers: options.http.workers)
        return options
    }

    private func readLimits(into options: inout SyncServer.Options) throws {
        if let seconds = try number("clock-limit", in: 0...31_536_000) {
            options.zones.clockMilliseconds = Int64(seconds) * 1000
        }
        if let bytes = try number("body-limit", in: 1024...(1 << 30)) {
            options.zones.bodyBytes = bytes
        }
        if let bytes = try number("change-set-limit", in: 1024...(1 << 40)) {
            options.zones.saveBytes = bytes
        }
        if let bytes = try number("buffer-limit", in: 1024...(1 << 40)) {
            options.http.bufferedBytes = bytes
        }
        if let count = try number("connections", in: 1...1_000_000) {
            options.http.connections = count
        }
        if let count = try number("connections-per-address", in: 1...1_000_000) {
            options.http.connectionsPerAddress = count
        }
        if let count = try number("streams-per-token", in: 1...1_000_000) {
            options.streams.perToken = count
        }
        if let count = try number("streams-per-zone", in: 1...1_000_000) {
            options.streams.perZone = count
        }
        options.rates.perToken = try number("requests-per-token", in: 1...1_000_000)
        options.rates.perAddress = try number("requests-per-address", in: 1...1_000_000)
        for quantity in ZoneQuotas.Quantity.allCases {
            let limit = try number("zone-\(quantity.rawValue)", in: 0...Int.max)
            if let limit { options.zones.quotas[quantity] = .most(Int64(limit)) }
        }
        if let count = try number("open-zones", in: 1...100_000) { options.openZones = count }
        if let count = try number("workers", in: 1...1024) { options.http.workers = count }
    }

    /// The certificate of the server; `nil` without TLS.
    func certificate() throws -> ServerCertificate? {
        switch (self["tls-certificate"], self["tls-key"]) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            return try ServerCertificate(certificateFile: certificate, keyFile: key)
        case (nil, _?): throw wrong("tls-key", "must be used together with tls-certificate")
        case (_?, nil): throw wrong("tls-certificate", "must be used together with tls-key")
        }
    }

    private func clientAuthorities() throws -> String? {
        guard let file = self["tls-client-ca"] else { return nil }
        guard self["tls-certificate"] != nil else {
            throw wrong("tls-client-ca", "must be used together with tls-certificate")
        }
        return try ServerCertificate.authorities(inFile: file)
    }

    private func identity() throws -> IdentityProvider? {
        let names = ["identity-issuer", "identity-audience", "identity-keys"]
        let given = names.filter { self[$0] != nil }
        let leeway = try number("identity-leeway", in: 0...3600)
        guard let first = given.first else { return nil }
        guard let issuer = self["identity-issuer"], let audience = self["identity-audience"],
            let file = self["identity-keys"]
        else {
            let missing = names.filter { self[$0] == nil }.joined(separator: " and ")
            throw wrong(first, "must be used together with \(missing)")
        }
        var settings = IdentitySettings(issuer: issuer, audience: audience, keyFile: file)
        if let claim = self["identity-claim"] { settings.claim = claim }
        if let leeway { settings.leewaySeconds = leeway }
        return try IdentityProvider(
            settings, wallMilliseconds: ServerEnvironment.system.wallMilliseconds)
    }

    private func proxies() throws -> Set<String> {
        guard let text = self["proxies"] else { return [] }
        let addresses = text.split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        for address in addresses where !TrustedProxies.isAddress(address) {
            throw wrong("proxies", "takes numeric addresses with commas, not \"\(address)\"")
        }
        return Set(addresses)
    }

    private func compaction() throws -> CompactionPlan? {
        let hours = try number("compact-every", in: 0...8760) ?? 0
        let keep = try number("compact-keep", in: 0...1_000_000_000)
        let age = try number("compact-age", in: 0...36_500) ?? 0
        let days = try number("compact-away", in: 0...36_500)
        guard hours > 0 else { return nil }
        var plan = CompactionPlan(interval: .seconds(hours * 3600))
        if let keep { plan.keptEntries = UInt64(keep) }
        plan.keptMilliseconds = Int64(age) * 86_400_000
        if let days { plan.awayMilliseconds = Int64(days) * 86_400_000 }
        return plan
    }

    /// The least severe level of the log.
    func logLevel() throws -> RequestLog.Level {
        guard let text = self["log-level"] else { return .info }
        guard let level = RequestLog.Level(rawValue: text) else {
            throw wrong("log-level", "takes debug, info, warning or error, not \"\(text)\"")
        }
        return level
    }

    /// The greatest number of connections to a database.
    func databaseConnections() throws -> Int {
        try number("database-connections", in: 2...10_000) ?? 16
    }

    private func listen(_ name: String, or standard: String) throws -> (String, Int) {
        let text = self[name] ?? standard
        guard let colon = text.lastIndex(of: ":"),
            let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port)
        else {
            throw wrong(
                name, "takes an address and a port, as in 127.0.0.1:8080, not \"\(text)\"")
        }
        var address = String(text[..<colon])
        if address.hasPrefix("["), address.hasSuffix("]") {
            address = String(address.dropFirst().dropLast())
        }
        return (address, port)
    }
}
