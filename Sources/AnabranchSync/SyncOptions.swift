/// The options of a ``SyncEngine``.
public struct SyncOptions: Sendable {
    /// The delays after failed requests.
    public var retry = SyncRetryPolicy()
    /// The time in which a connection to the server must be established.
    public var connectTimeout: Duration = .seconds(10)
    /// The time in which one request must be answered. After a timeout the engine asks for half as
    /// many bytes.
    public var requestTimeout: Duration = .seconds(60)
    /// The time without any data after which the live event stream counts as broken. The server
    /// sends heartbeats more often, every 20 seconds by default.
    public var eventSilence: Duration = .seconds(60)
    /// The longest time between two polls of the live loop while the zone's events do not arrive,
    /// at least a second. Each poll comes after a random time between the half and the whole of it.
    ///
    /// While polls find nothing, each interval is twice as long as the one before it, up to
    /// ``longestPollInterval``. While events arrive, the live loop does not poll.
    public var pollInterval: Duration = .seconds(30)
    /// The longest time to which the interval between polls grows.
    public var longestPollInterval: Duration = .seconds(300)
    /// The shortest time between two looks of the live loop for saves of other processes. It
    /// notices those of this process at once.
    ///
    /// On Linux it looks only after the file has been written; elsewhere it looks at each interval.
    public var saveInterval: Duration = .seconds(1)
    /// The number of bytes of change sets in one pull or push.
    public var batchBytes = 1 << 20
    /// The greatest length of a response after decompression, in bytes. A larger one is refused.
    public var largestResponse = (64 << 20) + (64 << 10)
    /// Indicates whether a token may be sent unencrypted to another machine.
    public var allowsPlainHTTP = false
    /// Indicates whether the store leaves its zone and continues with the zone that is named now.
    ///
    /// The new zone may be on any server and may already have contents, because other stores may
    /// have moved before. The store sends it every change set that it lacks, those of other
    /// replicas included, and syncs with it from then on.
    ///
    /// Nothing is lost, but the move can't be undone: two unrelated zones become one.
    public var movesZone = false
    /// Indicates whether an exchange fails with ``SyncError/Code/foreignZone`` if the zone has
    /// records, none of them of an entity of the store's model, as ``SyncStatus/foreignZone`` says.
    ///
    /// Nothing is pushed then, unless the zone offers a new store a snapshot instead of its log: a
    /// store pushes its saves before it takes a snapshot.
    public var refusesForeignZone = false
    /// The version of this app, as a number that rises with each release; `nil` is any version.
    ///
    /// If the zone's minimum version is greater, the engine neither pulls nor pushes; see
    /// ``SyncError/Code/updateRequired``. Every save stays in the store, and an engine of a version
    /// that suffices sends it.
    public var appVersion: Int?
    /// The path of a PEM file with the certificate authorities that are trusted instead of the
    /// system's.
    ///
    /// With `nil` the file is used that the store has kept since its last exchange with the same
    /// server. A store that has kept none uses the file that the environment variable
    /// `SSL_CERT_FILE` or `CURL_CA_BUNDLE` names, and otherwise those of the system.
    public var certificateAuthorities: String?
    /// The certificate of this client, for a server that asks for one.
    ///
    /// With `nil` the one is used that the store has kept since its last exchange with the same
    /// server.
    public var clientCertificate: ClientCertificate?
    /// The public keys of which the server must have one, besides a trusted certificate; empty if
    /// every key is trusted.
    ///
    /// Each is the SHA-256 digest of the key in base64, after `sha256//`, as in
    /// `sha256//YhKJKSzoTt2b5FP18fvpHo7fJYqQCjAa3HWY3tvRMwE=`.
    public var pinnedPublicKeys: [String] = []

    /// Creates the default options.
    public init() {}
}
