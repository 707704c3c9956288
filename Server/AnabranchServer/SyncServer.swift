import Foundation
import Synchronization

/// Serves a store over HTTP.
public final class SyncServer: Sendable {
    /// The settings of a server.
    public struct Options: Sendable {
        /// The address and limits of the HTTP server.
        public var http = HTTPServerOptions()
        /// The limits of each zone.
        public var zones = ZoneLimits()
        /// The numbers of requests in a minute.
        public var rates = RateLimits()
        /// The number of zones that stay open while no request uses them.
        public var openZones = 256
        /// The greatest number of zones that are open at the same time, also while requests use
        /// them.
        public var mostOpenZones = Int.max
        /// The numbers of event streams.
        public var streams = StreamLimits()
        /// The operator's own rules for pushed saves; `nil` if there are none.
        package var validation: PushValidation?
        /// The operator's hook, which sees each save that is new to a zone; `nil` if there is none.
        public var hook: ValidationHook?
        /// The log of pushes and reads; `nil` if it is not kept.
        public var audit: AuditLog?
        /// The certificate with which the server listens, for a warning and a metric of its end;
        /// `nil` without TLS.
        public var certificate: ServerCertificate?
        /// The identity provider with tokens that are accepted too; `nil` if there is none.
        public var identity: IdentityProvider?
        /// The automatic compaction of logs; `nil` if there is none.
        public var compaction: CompactionPlan?
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
    private let server: MicroHTTPServer
    private let access: AccessControl
    private let router: SyncRouter
    private let rates: RateLimiter
    private let metrics = ServerMetrics()
    private let metricsServer: MicroHTTPServer?
    private let log: RequestLog
    private let certificate: Mutex<ServerCertificate?>
    private let compactor: Compactor?
    private let hook: ValidationHook?
    private let audit: AuditLog?

    /// Creates a server that does not listen yet.
    public init(_ store: ZoneStore, options: Options, log: RequestLog) {
        self.store = store
        self.log = log
        hook = options.hook
        audit = options.audit
        server = MicroHTTPServer(options: options.http)
        let limits = options.zones.fitting(requestMemory: server.budget.share)
        let recorder = AuditRecorder(options.audit, log: log, metrics: metrics)
        zones = OpenZones(
            store.backEnd, limits: limits, validation: options.validation,
            hook: options.hook, record: recorder.record(push:),
            limit: options.openZones, ceiling: options.mostOpenZones,
            // Three quarters of the threads stay free for other requests.
            jobs: WholeZoneJobs(limit: options.http.workers / 4), metrics: metrics,
            wallMilliseconds: store.environment.wallMilliseconds)
        events = EventHub(
            heartbeat: options.heartbeat,
            limits: options.streams.fitting(connections: options.http.connections))
        access = AccessControl(
            tokens: store.tokens, identity: options.identity,
            report: { log.write(.error, $0) },
            wallMilliseconds: store.environment.wallMilliseconds)
        rates = RateLimiter(options.rates, metrics: metrics)
        router = SyncRouter(
            zones: zones, access: access, rates: rates, events: events, limits: limits,
            log: log, metrics: metrics, recordRead: recorder.record(read:),
            checkIsReady: store.backEnd.checkIsReady)
        certificate = Mutex(options.certificate)
        metricsServer = options.metrics.map { MicroHTTPServer(options: $0) }
        compactor = options.compaction.map { [zones] plan in
            Compactor(plan, zones: zones, backEnd: store.backEnd, log: log)
        }
        if options.certificate != nil { addCertificateEnd() }
        metrics.addGauges(zones: zones, backEnd: store.backEnd) { [events] in events.count }
        for (name, help, value) in Self.gauges {
            metrics.registry.add(
                MetricGauge(name, help) { [weak self] in
                    self.map { Double(value($0.server)) } ?? 0
                })
        }
        metrics.registry.add(
            MetricGauge(
                counting: "anabranch_log_lost_lines_total", "Log lines that could not be written."
            ) { Double(log.lostLines) })
    }

    /// The memory that all requests share.
    var budget: MemoryBudget { server.budget }

    private static let gauges: [(String, String, @Sendable (MicroHTTPServer) -> Int)] = [
        (
            "anabranch_request_memory_bytes", "Reserved bytes of the memory for requests.",
            \.reservedBytes
        ),
        ("anabranch_connections", "Open connections.", \.connectionCount),
        (
            "anabranch_requests_waiting", "Requests that wait for a thread.",
            \.workers.waitingCount
        ),
    ]

    private func addCertificateEnd() {
        metrics.registry.add(
            MetricGauge(
                "anabranch_tls_certificate_end_seconds",
                "The end of the TLS certificate, in seconds since 1970."
            ) { [weak self] in
                self?.certificate.withLock { $0?.end.timeIntervalSince1970 } ?? 0
            })
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
        warnOfCertificate()
        zones.listenToOthers()
        let port = try server.start(router)
        try compactor?.start()
        return port
    }

    private func warnOfCertificate() {
        let warning = certificate.withLock { $0?.warning() }
        if let warning { log.write(.warning, warning) }
    }

    /// Applies those of the settings that can change while the server runs: the certificate,
    /// the identity provider and the limits of requests.
    ///
    /// - Throws: ``HTTPServerError`` if a setting can't be used; then nothing is changed.
    public func reload(_ options: Options) throws {
        if let new = options.certificate {
            try server.replaceTLS(certificate: new.chain, key: new.key)
            certificate.withLock { $0 = new }
            warnOfCertificate()
        }
        access.setIdentity(options.identity)
        rates.replace(options.rates)
    }

    /// Opens the file of the audit log again, after another program has renamed it.
    ///
    /// - Throws: ``HTTPServerError`` if the file can't be opened; then lines go to the former one.
    public func reopenAuditLog() throws { try audit?.reopen() }

    /// Stops the server: refuses new requests, finishes running ones, ends event streams and closes
    /// the store.
    ///
    /// Requests that run for more than three seconds from now on fail with `shuttingDown`, and
    /// nothing of them is kept. A second later the clients that have not read their answers are cut
    /// off. So a stop takes less than five seconds, unless the system itself lets a call of the
    /// server wait: a disk that does not answer, or the search for the database's address.
    public func stop() {
        let deadline = ContinuousClock.now + MicroHTTPServer.workTime + MicroHTTPServer.answerTime
        zones.beginStop(allowing: MicroHTTPServer.workTime)
        hook?.beginStop(allowing: MicroHTTPServer.workTime)
        compactor?.beginStop()
        events.close()
        server.stop(by: deadline)
        metricsServer?.stop(by: deadline)
        compactor?.waitUntilStopped()
        zones.close()
        hook?.close()
        store.close()
    }
}
