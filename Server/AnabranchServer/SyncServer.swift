import Foundation

/// Serves a store over HTTP.
public final class SyncServer: Sendable {
    /// The settings of a server.
    public struct Options: Sendable {
        /// The address and limits of the HTTP server.
        public var http = HTTPServerOptions()
        /// The limits of each zone.
        public var zones = ZoneLimits()
        /// The number of zones that stay open while no request uses them.
        public var openZones = 256
        /// The operator's own rules for pushed saves; `nil` if there are none.
        public var validation: PushValidation?
        /// The operator's hook, which sees each save that is new to a zone; `nil` if there is none.
        public var hook: ValidationHook?
        /// The log of pushes that changed a zone or were refused; `nil` if it is not kept.
        public var audit: AuditLog?
        /// The certificate with which the server listens, for a warning and a metric of its end;
        /// `nil` without TLS.
        public var certificate: ServerCertificate?
        /// The address of `/metrics`; `nil` if metrics are not served.
        public var metrics: HTTPServerOptions?
        /// The time between two heartbeats on an event stream without other events.
        public var heartbeat: Duration = .seconds(20)

        /// Creates the default settings.
        public init() {}
    }

    private let store: ZoneStore
    private let zones: OpenZones
    private let events: EventHub
    private let server: any HTTPServer
    private let router: SyncRouter
    private let metrics = ServerMetrics()
    private let metricsServer: MicroHTTPServer?
    private let log: RequestLog
    private let certificate: ServerCertificate?
    private let hook: ValidationHook?

    /// Creates a server that does not listen yet.
    public init(_ store: ZoneStore, options: Options, log: RequestLog) {
        self.store = store
        self.log = log
        hook = options.hook
        let recorder: @Sendable (PushRecord) -> Void
        if let audit = options.audit {
            recorder = audit.recorder(log, metrics)
        } else {
            recorder = { _ in }
        }
        zones = OpenZones(
            store.backEnd, limits: options.zones, validation: options.validation,
            hook: options.hook, record: recorder,
            limit: options.openZones, metrics: metrics,
            wallMilliseconds: store.environment.wallMilliseconds)
        events = EventHub(heartbeat: options.heartbeat)
        server = MicroHTTPServer(options: options.http)
        router = SyncRouter(
            zones: zones,
            access: AccessControl(
                tokens: store.tokens, wallMilliseconds: store.environment.wallMilliseconds),
            events: events, limits: options.zones, log: log,
            metrics: metrics, checkIsReady: store.backEnd.checkIsReady)
        certificate = options.certificate
        metricsServer = options.metrics.map { MicroHTTPServer(options: $0) }
        if let end = options.certificate?.end {
            metrics.registry.add(
                MetricGauge(
                    "anabranch_tls_certificate_end_seconds",
                    "The end of the TLS certificate, in seconds since 1970."
                ) { end.timeIntervalSince1970 })
        }
        metrics.addGauges(zones: zones, backEnd: store.backEnd) { [events] in events.count }
    }

    /// Starts to serve metrics on their own address.
    ///
    /// - Returns: The port; `nil` if no address was set.
    public func startMetrics() throws -> Int? { try metricsServer?.start(MetricsPage(metrics)) }

    /// Locks the store and starts to listen.
    ///
    /// - Returns: The port.
    ///
    /// - Throws: An error if another daemon serves the store, or if the address cannot be used.
    public func start() throws -> Int {
        try store.backEnd.lockForServing()
        if let warning = certificate?.warning() { log.write(.warning, warning) }
        zones.listenToOthers()
        return try server.start(router)
    }

    /// Stops the server: refuses new requests, finishes running ones, ends event streams and closes
    /// the store.
    public func stop() {
        events.close()
        server.stop()
        metricsServer?.stop()
        zones.close()
        hook?.close()
        store.close()
    }
}
