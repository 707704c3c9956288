import CGnuTLS
import CMicroHTTPD
import Foundation
import Synchronization

/// An HTTP server that passes requests to a handler and sends its responses, by libmicrohttpd.
///
/// Only this type and its parts use sockets and the library. Another HTTP server can replace them
/// without changes to routes, tokens and zones.
///
/// Two threads of the library serve all sockets. A complete request is suspended until a thread of
/// the `WorkerPool` has created its response. An event stream without an event is suspended too.
/// Suspended connections must be resumed before the library stops; `stop` does so.
public final class MicroHTTPServer: Sendable {
    let options: HTTPServerOptions
    let budget: MemoryBudget
    let workers: WorkerPool
    let watch: ConnectionWatch
    /// The open connections of each peer that is no proxy.
    let peers: AddressCounts
    /// The running requests of each client behind a proxy.
    let proxied: AddressCounts
    let live = LiveRequests()
    let parted = PartedClients()
    private let state = Mutex(State())

    private struct State {
        /// The address of the `MHD_Daemon`; 0 if there is none.
        var daemon: UInt = 0
        var handler: (any HTTPHandler)?
        /// The thread that accepts connections; `nil` if the library does.
        var acceptor: ConnectionAcceptor?
        var isStopping = false
        var port = 0
        /// The addresses of texts that the library uses until it stops.
        var texts: [UInt] = []
    }

    /// Creates a server that does not listen yet.
    public init(options: HTTPServerOptions) {
        self.options = options
        workers = WorkerPool(threads: options.workers, limit: options.waitingRequests)
        watch = ConnectionWatch(
            limit: .seconds(options.headerSeconds), connections: options.connections,
            whenQuiet: options.whenFreed)
        let leastAge = Duration.seconds(options.heldSeconds)
        budget = MemoryBudget(
            byteCount: options.bufferedBytes,
            whenShort: { [watch] count, holder in
                watch.freeMemory(count, of: holder, leastAge: leastAge)
            }, whenReturned: options.whenFreed)
        peers = AddressCounts(limit: options.connectionsPerAddress)
        proxied = AddressCounts(limit: options.connectionsPerAddress)
    }

    deinit { stop() }

    /// The bytes that requests have reserved, of ``HTTPServerOptions/bufferedBytes``.
    var reservedBytes: Int { budget.byteCount - budget.available }

    /// The number of open connections.
    var connectionCount: Int { watch.connectionCount }

    var handler: (any HTTPHandler)? { state.withLock { $0.handler } }
    var isStopping: Bool { state.withLock { $0.isStopping } }

    /// Starts to listen and to pass requests to the handler.
    ///
    /// - Returns: The port that it listens on.
    ///
    /// - Throws: ``HTTPServerError`` if the address or the port cannot be used; another error if
    ///   the process may not have so many threads.
    public func start(_ handler: any HTTPHandler) throws -> Int {
        var address = try SocketAddress(options.address, port: options.port)
        let pair = try options.tls.map {
            try TLSKeyPair(certificate: $0.certificate, key: $0.key)
        }
        state.withLock { $0.handler = handler }
        try workers.start()
        var flags =
            MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | MHD_USE_ITC.rawValue
        if address.isVersion6 { flags |= MHD_USE_IPv6.rawValue }
        if options.tls != nil { flags |= MHD_USE_TLS.rawValue }
        if options.listeningSocket != nil { flags |= MHD_USE_NO_LISTEN_SOCKET.rawValue }
        let context = Unmanaged.passUnretained(self).toOpaque()
        let daemon = address.withPointer { address in
            var items = optionItems(context: context, address: address)
            return cmicrohttpd_start(
                flags, UInt16(clamping: options.port), microHTTPServe, context, &items)
        }
        guard let daemon else {
            throw HTTPServerError(
                "Can't listen on \(options.address):\(options.port) because "
                    + "\(String(cString: strerror(errno))).")
        }
        let isPassed = options.listeningSocket != nil
        let port = isPassed ? options.port : Int(cmicrohttpd_bound_port(daemon))
        state.withLock { state in
            state.daemon = UInt(bitPattern: daemon)
            state.port = port
        }
        if let pair { TLSKeyPairs.shared.use(pair, onPort: port) }
        if let socket = options.listeningSocket {
            let address = UInt(bitPattern: daemon)
            let acceptor = try ConnectionAcceptor(socket) { connection, peer, size in
                MHD_add_connection(OpaquePointer(bitPattern: address), connection, peer, size)
            }
            state.withLock { $0.acceptor = acceptor }
        }
        return port
    }

    /// Begins to watch a new connection, and ends it if its peer has as many as it may have.
    ///
    /// A proxy carries the connections of many clients, so its own have no limit.
    func opened(_ connection: OpaquePointer) {
        let (key, socket) = (UInt(bitPattern: connection), cmicrohttpd_socket(connection))
        watch.open(key, socket: socket)
        let peer = SocketAddress.text(of: cmicrohttpd_client_address(connection))
        guard !options.proxies.includes(peer), !peers.begin(key, from: peer) else { return }
        // The library notices that and closes the socket.
        shutdown(socket, Int32(SHUT_RDWR))
    }

    /// Uses another certificate chain and key for connections from now on.
    ///
    /// - Throws: ``HTTPServerError`` if they can't be used, or if the server has no TLS.
    public func replaceTLS(certificate: String, key: String) throws {
        let pair = try TLSKeyPair(certificate: certificate, key: key)
        guard options.tls != nil else {
            throw HTTPServerError("Can't begin TLS while the server runs: start it again.")
        }
        let port = state.withLock { $0.daemon == 0 ? nil : $0.port }
        if let port { TLSKeyPairs.shared.use(pair, onPort: port) }
    }

    private func optionItems(
        context: UnsafeMutableRawPointer, address: UnsafeMutableRawPointer
    ) -> [MHD_OptionItem] {
        func number(_ option: MHD_OPTION, _ value: Int) -> MHD_OptionItem {
            MHD_OptionItem(option: option, value: value, ptr_value: nil)
        }
        func callback(_ option: MHD_OPTION, _ value: Int) -> MHD_OptionItem {
            MHD_OptionItem(option: option, value: value, ptr_value: context)
        }
        var items = [
            MHD_OptionItem(option: MHD_OPTION.SOCK_ADDR, value: 0, ptr_value: address),
            number(MHD_OPTION.THREAD_POOL_SIZE, 2),
            number(MHD_OPTION.CONNECTION_LIMIT, options.connections),
            number(MHD_OPTION.CONNECTION_TIMEOUT, options.idleSeconds),
            number(MHD_OPTION.CONNECTION_MEMORY_LIMIT, options.headerBytes),
            number(MHD_OPTION.LISTEN_BACKLOG_SIZE, 4096),
            number(MHD_OPTION.STRICT_FOR_CLIENT, 1),
            callback(MHD_OPTION.URI_LOG_CALLBACK, cmicrohttpd_uri_logger(microHTTPBegin)),
            callback(MHD_OPTION.NOTIFY_COMPLETED, cmicrohttpd_on_completion(microHTTPEnd)),
            callback(
                MHD_OPTION.NOTIFY_CONNECTION, cmicrohttpd_on_connection(microHTTPConnection)),
        ]
        if options.tls != nil {
            items.append(
                MHD_OptionItem(
                    option: MHD_OPTION.HTTPS_CERT_CALLBACK, value: 0,
                    ptr_value: cgnutls_retriever(tlsRetrieveKeyPair)))
        }
        if let authorities = options.clientAuthorities {
            items.append(
                MHD_OptionItem(
                    option: MHD_OPTION.HTTPS_MEM_TRUST, value: 0, ptr_value: kept(authorities)))
        }
        return items + [number(MHD_OPTION.END, 0)]
    }

    private func kept(_ text: String) -> UnsafeMutableRawPointer? {
        let address = UInt(bitPattern: strdup(text))
        state.withLock { $0.texts.append(address) }
        return UnsafeMutableRawPointer(bitPattern: address)
    }

    /// The time that a stop gives the work of requests, and then the clients that read the answers.
    static let workTime = Duration.seconds(3)
    static let answerTime = Duration.seconds(1)

    /// Refuses new requests, waits until running ones are answered, and closes the socket.
    ///
    /// The work of requests must end by itself. Clients that have not read their answers four
    /// seconds after the beginning of the stop, or have not sent their requests, are cut off.
    public func stop() { stop(by: .now + Self.workTime + Self.answerTime) }

    /// Stops the server; clients are cut off at the deadline.
    func stop(by deadline: ContinuousClock.Instant) {
        let (address, acceptor) = state.withLock { state in
            state.isStopping = true
            defer { (state.daemon, state.acceptor) = (0, nil) }
            return (state.daemon, state.acceptor)
        }
        acceptor?.stop()
        workers.stop()
        guard let daemon = OpaquePointer(bitPattern: address) else { return }
        // A new request now gets the response that the server stops. The library keeps its socket
        // until its threads have ended: they end the process if the socket is closed earlier, and
        // `MHD_quiesce_daemon` would close it in two threads at once.
        live.closeStreams()
        live.waitUntilEnded(by: deadline)
        MHD_stop_daemon(daemon)
        TLSKeyPairs.shared.forget(port: state.withLock { $0.port })
        state.withLock { state in
            for text in state.texts { free(UnsafeMutableRawPointer(bitPattern: text)) }
            state.texts = []
        }
    }
}
