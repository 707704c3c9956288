import Foundation

/// A setting of `anabranchd serve`, which an option, an environment variable or a line of the
/// configuration file gives.
struct ServeOption {
    /// The name of the option without its dashes, such as `tls-certificate`.
    ///
    /// The configuration file has it as `tls-certificate`, or as `certificate` in the section
    /// `[tls]`.
    let name: String
    /// The word for its value in the help, such as `FILE`.
    let value: String
    /// The meaning, and its default in parentheses.
    let meaning: String
    /// True if SIGHUP applies a change.
    var isReloaded = false

    /// The environment variable, such as `ANABRANCHD_TLS_CERTIFICATE`.
    var variable: String {
        "ANABRANCHD_" + name.uppercased().replacingOccurrences(of: "-", with: "_")
    }

    /// Every setting, in the order of the help.
    static let all: [ServeOption] = [
        ServeOption(
            name: "store", value: "STORE",
            meaning: "sqlite:DIR or postgres://…; created if it is missing"),
        ServeOption(
            name: "database-connections", value: "N",
            meaning: "greatest number of connections to a database (16)"),
        ServeOption(
            name: "listen", value: "ADDRESS:PORT",
            meaning: "numeric address; port 0 is a free port (127.0.0.1:8080)"),
        ServeOption(
            name: "metrics-listen", value: "ADDRESS:PORT",
            meaning: "address of /metrics, for Prometheus (none)"),
        ServeOption(
            name: "port-file", value: "FILE",
            meaning: "file to write the port to, once the daemon listens"),
        ServeOption(
            name: "tls-certificate", value: "FILE", meaning: "certificate chain in PEM",
            isReloaded: true),
        ServeOption(
            name: "tls-key", value: "FILE",
            meaning: "private key of the certificate in PEM", isReloaded: true),
        ServeOption(
            name: "tls-client-ca", value: "FILE",
            meaning: "authorities of the certificates that clients must have (none)"),
        ServeOption(
            name: "proxies", value: "ADDRESSES",
            meaning: "proxies that tell the client's address, with commas (none)"),
        ServeOption(
            name: "identity-issuer", value: "TEXT",
            meaning: "issuer of JSON Web Tokens that are accepted too (none)", isReloaded: true),
        ServeOption(
            name: "identity-audience", value: "TEXT",
            meaning: "audience that such a token must name", isReloaded: true),
        ServeOption(
            name: "identity-keys", value: "FILE",
            meaning: "keys of the issuer: a JSON Web Key Set, or PEM", isReloaded: true),
        ServeOption(
            name: "identity-claim", value: "NAME",
            meaning: "claim with zones and roles (anabranch)", isReloaded: true),
        ServeOption(
            name: "identity-leeway", value: "SECONDS",
            meaning: "greatest difference of the issuer's clock (60)", isReloaded: true),
        ServeOption(
            name: "clock-limit", value: "SECONDS",
            meaning: "greatest lead of a change over the server's clock (300)"),
        ServeOption(
            name: "body-limit", value: "BYTES",
            meaning: "greatest request body, after decompression (67108864)"),
        ServeOption(
            name: "change-set-limit", value: "BYTES",
            meaning: "greatest save, also in parts; a larger one is rejected (4294967296)"),
        ServeOption(
            name: "buffer-limit", value: "BYTES",
            meaning: "greatest memory for all requests together (536870912)"),
        ServeOption(
            name: "connections", value: "N", meaning: "greatest number of connections (10000)"),
        ServeOption(
            name: "connections-per-address", value: "N",
            meaning: "greatest number from one address (5000)"),
        ServeOption(
            name: "streams-per-token", value: "N",
            meaning: "greatest number of event streams of one token (2500)"),
        ServeOption(
            name: "streams-per-zone", value: "N",
            meaning: "greatest number of event streams of one zone (5000)"),
        ServeOption(
            name: "requests-per-token", value: "N",
            meaning: "greatest number of requests of one token in a minute (none)",
            isReloaded: true),
        ServeOption(
            name: "requests-per-address", value: "N",
            meaning: "greatest number from one address in a minute (none)", isReloaded: true),
        ServeOption(
            name: "zone-bytes", value: "N",
            meaning: "greatest number of bytes of a zone (none)"),
        ServeOption(
            name: "zone-records", value: "N",
            meaning: "greatest number of records of a zone (none)"),
        ServeOption(
            name: "zone-replicas", value: "N",
            meaning: "greatest number of replicas of a zone (none)"),
        ServeOption(
            name: "zone-daily-bytes", value: "N",
            meaning: "greatest number of bytes pushed to a zone in a day (none)"),
        ServeOption(
            name: "open-zones", value: "N",
            meaning: "number of zones that stay open without requests (256)"),
        ServeOption(
            name: "workers", value: "N",
            meaning: "number of requests processed at the same time (24)"),
        ServeOption(
            name: "compact-every", value: "HOURS",
            meaning: "time between two compactions of all zones (0: none)"),
        ServeOption(
            name: "compact-keep", value: "N",
            meaning: "entries of a log that a compaction leaves (10000)"),
        ServeOption(
            name: "compact-age", value: "DAYS",
            meaning: "age up to which a compaction leaves entries (0)"),
        ServeOption(
            name: "compact-away", value: "DAYS",
            meaning: "replicas seen within that time keep their entries (30)"),
        ServeOption(
            name: "validate", value: "PLACE",
            meaning: "URL or command:PATH of a hook that accepts or rejects saves (none)"),
        ServeOption(
            name: "validate-timeout", value: "MILLISECONDS",
            meaning: "greatest time for an answer of the hook (2000)"),
        ServeOption(
            name: "validate-calls", value: "N",
            meaning: "greatest number of calls of the hook at once (4)"),
        ServeOption(
            name: "audit-log", value: "FILE",
            meaning: "file with a line of JSON for each access; SIGHUP opens it again (none)"),
        ServeOption(
            name: "log-level", value: "LEVEL",
            meaning: "debug, info, warning or error (info)", isReloaded: true),
    ]

    static var help: String {
        all.map { option in
            let head = "  --\(option.name) \(option.value)"
            let gap = String(repeating: " ", count: max(2, 28 - head.count))
            return head + gap + option.meaning
        }.joined(separator: "\n")
    }
}
