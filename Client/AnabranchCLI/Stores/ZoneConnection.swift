import Anabranch
import AnabranchSync
import Foundation

/// The server, zone and token of a command line.
struct ZoneConnection {
    static let options = [
        OptionSpecification("server", "URL", "The sync server; the first sync stores it."),
        OptionSpecification("zone", "NAME", "The zone; the first sync stores it."),
        OptionSpecification(
            "token-file", "FILE",
            "The file that contains the token; by default ANABRANCH_TOKEN is used. A token is "
                + "never an argument, because every user of the machine can see arguments."),
        OptionSpecification(
            "ca-file", "FILE",
            "The certificate authorities (PEM) to trust instead of the system's; the first sync "
                + "stores the name. By default ANABRANCH_CA_FILE is used."),
        OptionSpecification(
            "client-certificate", "FILE",
            "The certificate (PEM) of this client, for a server that asks for one; the first "
                + "sync stores the name. By default ANABRANCH_CLIENT_CERTIFICATE is used."),
        OptionSpecification(
            "client-key", "FILE",
            "The private key (PEM) of the client's certificate; by default "
                + "ANABRANCH_CLIENT_KEY, or the file with the certificate."),
        .flag("allow-plain-http", "Allows sending the token unencrypted to another machine."),
    ]

    let server: URL?
    let zone: String?
    private let tokenFile: String?
    private let authorities: String?
    private let clientFiles: (certificate: String?, key: String?)
    private let allowsPlainHTTP: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        if let text = arguments.text("server") {
            guard let url = URL(string: text), url.scheme != nil else {
                throw arguments.error(
                    "--server takes a URL, as https://sync.example.org, not "
                        + "'\(ServerAddress.withoutPassword(text))'.")
            }
            server = url
        } else {
            server = nil
        }
        zone = arguments.text("zone")
        tokenFile = arguments.text("token-file")
        authorities = arguments.text("ca-file")
        clientFiles = (arguments.text("client-certificate"), arguments.text("client-key"))
        allowsPlainHTTP = arguments.isSet("allow-plain-http")
    }

    /// Creates a sync engine.
    ///
    /// - Parameters:
    ///   - isMoving: True if the store leaves its present zone.
    ///   - change: Sets further options.
    func engine(
        for container: PersistentContainer, _ console: Console, isMoving: Bool = false,
        _ change: (inout SyncOptions) -> Void = { _ in }
    ) throws -> SyncEngine {
        var options = SyncOptions()
        options.movesZone = isMoving
        options.allowsPlainHTTP = allowsPlainHTTP
        options.certificateAuthorities =
            authorities ?? Self.variable("ANABRANCH_CA_FILE", console)
        options.clientCertificate = clientCertificate(console)
        change(&options)
        do {
            return try SyncEngine(
                container: container, server: server, zone: zone, token: try token(console),
                options: options)
        } catch let error as SyncError where error.code == .noServer {
            throw CommandFailure(
                .usage,
                "The store has not synced yet. The first sync needs --server URL, --zone "
                    + "NAME and a token.")
        }
    }

    /// The certificate of the client; `nil` if none is named.
    private func clientCertificate(_ console: Console) -> ClientCertificate? {
        let certificate =
            clientFiles.certificate ?? Self.variable("ANABRANCH_CLIENT_CERTIFICATE", console)
        let key = clientFiles.key ?? Self.variable("ANABRANCH_CLIENT_KEY", console)
        return certificate.map { ClientCertificate(certificateFile: $0, keyFile: key ?? $0) }
    }

    /// An environment variable; `nil` if it is missing or empty.
    private static func variable(_ name: String, _ console: Console) -> String? {
        console.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func token(_ console: Console) throws -> String? {
        guard let tokenFile else {
            return console.environment["ANABRANCH_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        }
        let source = try ByteSource(path: tokenFile)
        var bytes: [UInt8] = []
        while let byte = try source.next(), bytes.count < 4096 { bytes.append(byte) }
        let text = String(decoding: bytes, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else {
            throw CommandFailure(.data, "The file \(tokenFile) holds no token.")
        }
        return text
    }
}
