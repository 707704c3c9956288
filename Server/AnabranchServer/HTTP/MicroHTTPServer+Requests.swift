import CMicroHTTPD
import Synchronization

extension MicroHTTPServer {
    /// Checks the headers of a request and asks the handler if the body is to be read.
    func begin(
        _ request: MicroRequest, on connection: OpaquePointer, method: String,
        version: UnsafePointer<CChar>
    ) -> MHD_Result {
        // Until the right of the client is known, its body must arrive in the same time.
        watch.begin(
            UInt(bitPattern: connection), socket: cmicrohttpd_socket(connection),
            holding: request.memory)
        guard let handler else { return .NO }
        var headers = HTTPHeaders()
        withUnsafeMutablePointer(to: &headers) { headers in
            _ = MHD_get_connection_values_n(connection, .HEADER_KIND, microHTTPHeader, headers)
        }
        let peer = SocketAddress.text(of: cmicrohttpd_client_address(connection))
        var head = HTTPRequestHead(
            method: method, path: request.path, query: request.query, headers: headers,
            address: options.proxies.clientAddress(peer, headers))
        request.progress.withLock { progress in
            if let id = head.givenID { progress.id = id }
            head.id = progress.id
            progress.head = head
        }
        let fault =
            RequestCheck.fault(
                uri: request.uri,
                isCutShort: request.versionAddress != UInt(bitPattern: version),
                version: String(cString: version))
            ?? RequestCheck.fault(headers: headers) ?? clientFault(of: connection)
            ?? (isStopping ? .shuttingDown : crowding(request, from: head.address, through: peer))
        if let fault { return refuse(request, on: connection, fault) }
        switch handler.exchange(for: head) {
        case .answer(let response):
            guard head.hasNoBody else {
                return send(response, for: request, on: connection)
            }
            // A response after the whole request leaves the connection open for the next request.
            request.progress.withLock { $0.response = response }
            return .YES
        case .work(let work):
            return prepare(request, on: connection, head, work)
        }
    }

    /// The fault of a client behind a proxy that has too many requests at the same time.
    private func crowding(
        _ request: MicroRequest, from address: String, through peer: String
    ) -> HTTPFault? {
        guard address != peer, options.proxies.includes(peer) else { return nil }
        return proxied.begin(request.key, from: address) ? nil : .crowdedAddress
    }

    /// The fault of a client's certificate, if clients must have one.
    private func clientFault(of connection: OpaquePointer) -> HTTPFault? {
        guard options.clientAuthorities != nil else { return nil }
        return tlsClientFault(cmicrohttpd_tls_session(connection)).map {
            .untrustedClient(cause: $0)
        }
    }

    private func prepare(
        _ request: MicroRequest, on connection: OpaquePointer, _ head: HTTPRequestHead,
        _ work: HTTPWork
    ) -> MHD_Result {
        let encoding = head.headers["Content-Encoding"]?.headerToken ?? "identity"
        guard encoding == "identity" || encoding == "zstd" else {
            return refuse(request, on: connection, .unsupportedEncoding(encoding))
        }
        let length = head.headers["Content-Length"].map { Int($0) ?? .max } ?? 0
        guard length <= work.limit else {
            return refuse(request, on: connection, .bodyTooLarge(limit: work.limit))
        }
        request.progress.withLock { progress in
            progress.work = work
            progress.length = length
            progress.pace = UploadPace(from: options.now())
        }
        return .YES
    }

    /// Receives a piece of the body.
    ///
    /// libmicrohttpd accepts a response before or after a body, but not within it. If a body of
    /// unknown length exceeds the limit, or the client has no right, the server therefore discards
    /// up to the limit again, and sends the refusal at the end of the body.
    ///
    /// - Returns: `NO`, which closes the connection, if the body does not end within that size, or
    ///   arrives too slowly.
    func receive(
        _ request: MicroRequest, on connection: OpaquePointer, _ bytes: UnsafeRawBufferPointer
    ) -> MHD_Result {
        let now = options.now()
        let isLate = now - request.start > .seconds(options.bodySeconds)
        let result = request.progress.withLock { progress in
            progress.bytesReceived += bytes.count
            let isFast = progress.pace.keeps(
                options.leastBodyRate, with: bytes.count, at: now)
            guard isFast, !isLate else {
                progress.body = []
                progress.log.cause =
                    isLate ? "its body took too long" : "its body arrived too slowly"
                return MHD_Result.NO
            }
            guard let work = progress.work else {
                // The response exists already, so the rest of the body is discarded.
                guard let rest = progress.passOverLimit else { return .YES }
                progress.passOverLimit = rest - bytes.count
                return rest >= bytes.count ? .YES : .NO
            }
            let count = progress.body.count + bytes.count
            guard count <= work.limit else {
                return passOver(
                    &progress, because: .bodyTooLarge(limit: work.limit), request.memory)
            }
            guard progress.makeRoom(for: count, of: work, request.memory) else {
                return passOver(&progress, because: .overloaded, request.memory)
            }
            progress.body.append(contentsOf: bytes)
            return .YES
        }
        if result == .YES { admitIfLarge(request, on: connection) }
        return result
    }

    private func passOver(
        _ progress: inout MicroRequest.Progress, because fault: HTTPFault,
        _ memory: RequestMemory
    ) -> MHD_Result {
        guard let response = handler?.answer(to: fault) else { return .NO }
        passOver(&progress, response, memory)
        return .YES
    }

    /// Discards the body, and keeps the response for its end.
    private func passOver(
        _ progress: inout MicroRequest.Progress, _ response: HTTPResponse, _ memory: RequestMemory
    ) {
        var response = response
        response.headers.append("Connection", "close")
        memory.release()
        progress.body = []
        progress.capacity = 0
        progress.passOverLimit = progress.work?.limit
        progress.work = nil
        progress.response = response
    }

    /// Checks the client's right before more of a large body is kept.
    private func admitIfLarge(_ request: MicroRequest, on connection: OpaquePointer) {
        let work = request.progress.withLock { progress in
            progress.admission == nil && progress.body.count > HTTPServerOptions.unadmittedBytes
                ? progress.work : nil
        }
        guard let work else { return }
        let address = UInt(bitPattern: connection)
        dispatch(request, on: connection, work) { [self] in
            let admission = admission(to: work, request.memory)
            request.progress.withLock { progress in
                progress.admission = admission
                // The client does not answer for the time that the server took.
                progress.pace = UploadPace(from: options.now())
                if case .refused(let response) = admission {
                    passOver(&progress, response, request.memory)
                } else {
                    watch.end(address)
                }
            }
        } orElse: { [self] response in
            request.progress.withLock { passOver(&$0, response, request.memory) }
        }
    }

    /// Checks the client's right, and counts the memory of the request for its client and its
    /// zone from then on.
    private func admission(to work: HTTPWork, _ memory: RequestMemory) -> HTTPAdmission {
        let admission = work.admit()
        guard case .admitted = admission else { return admission }
        var holders: [MemoryBudget.Holder] = []
        if !work.zone.isEmpty { holders = [.zone(work.zone), .client(work.client)] }
        guard memory.count(for: holders) else {
            return .refused(handler?.answer(to: .overloaded) ?? HTTPResponse(status: 503))
        }
        return admission
    }

    /// Suspends a connection until a worker has done a job for it, or the client has left before
    /// one takes it.
    ///
    /// - Parameter refuse: Called with the response if no worker takes the job.
    private func dispatch(
        _ request: MicroRequest, on connection: OpaquePointer, _ work: HTTPWork,
        _ job: @escaping @Sendable () -> Void, orElse refuse: (HTTPResponse) -> Void
    ) {
        let address = UInt(bitPattern: connection)
        let purpose = WorkerPool.Purpose(zone: work.zone, client: work.client)
        MHD_suspend_connection(connection)
        let mayWait = workers.isBusy(for: purpose)
        let isTaken = workers.submit(address, for: purpose) {
            job()
            MHD_resume_connection(OpaquePointer(bitPattern: address))
        }
        guard !isTaken else {
            if mayWait { watchClient(of: address, cmicrohttpd_socket(connection), purpose) }
            return
        }
        let answer = handler?.answer(to: isStopping ? .shuttingDown : .overloaded)
        refuse(answer ?? HTTPResponse(status: 503))
        MHD_resume_connection(connection)
    }

    /// Takes a waiting job back if its client leaves.
    ///
    /// The job is in the queue already, so a client that has left before is noticed too. The
    /// connection goes on in this thread only, so it can't end meanwhile.
    private func watchClient(
        of connection: UInt, _ socket: Int32, _ purpose: WorkerPool.Purpose
    ) {
        parted?.watch(connection, socket: socket) { [workers] in
            guard workers.withdraw(connection, for: purpose) else { return }
            MHD_resume_connection(OpaquePointer(bitPattern: connection))
        }
    }

    /// Continues a request after its body is complete or a worker has created its response.
    ///
    /// - Returns: `NO`, which closes the connection, if the client left before a worker began.
    func goOn(_ request: MicroRequest, on connection: OpaquePointer) -> MHD_Result {
        let address = UInt(bitPattern: connection)
        watch.end(address)
        parted?.forget(address, socket: cmicrohttpd_socket(connection))
        let (response, isDispatched, work) = request.progress.withLock { progress in
            defer {
                progress.response = nil
                progress.isDispatched = true
            }
            return (progress.response, progress.isDispatched, progress.work)
        }
        if let response { return send(response, for: request, on: connection) }
        guard !isDispatched, let work else { return .NO }
        dispatch(request, on: connection, work) { [self] in
            let response = packed(respond(to: request, work), for: request)
            request.progress.withLock { $0.response = response }
        } orElse: { response in
            request.progress.withLock { $0.response = response }
        }
        return .YES
    }

    private func respond(to request: MicroRequest, _ work: HTTPWork) -> HTTPResponse {
        let (admission, body, head) = request.progress.withLock { progress in
            defer { progress.body = [] }
            return (progress.admission, progress.body, progress.head)
        }
        switch admission ?? self.admission(to: work, request.memory) {
        case .refused(let response): return response
        case .admitted(let respond):
            guard head?.headers["Content-Encoding"]?.headerToken == "zstd" else {
                return respond(body, request.memory)
            }
            return respondToPacked(body, of: request, limit: work.limit, respond)
        }
    }

    private func respondToPacked(
        _ body: [UInt8], of request: MicroRequest, limit: Int,
        _ respond: @Sendable ([UInt8], RequestMemory) -> HTTPResponse
    ) -> HTTPResponse {
        do throws(ZstdCodec.Failure) {
            let whole = try ZstdCodec.decompressed(body, limit: limit) { request.memory.take($0) }
            return respond(whole, request.memory)
        } catch {
            let fault: HTTPFault =
                switch error {
                case .tooLarge(let limit): .bodyTooLarge(limit: limit)
                case .noRoom: .overloaded
                case .damaged(let cause):
                    .malformed(
                        cause: "its body is not zstd: \(cause)", header: "Content-Encoding")
                }
            return handler?.answer(to: fault) ?? HTTPResponse(status: 500)
        }
    }

    func end(_ request: MicroRequest, on connection: OpaquePointer?, isCutOff: Bool) {
        // The client may have left before the stream was queued.
        let stream = request.progress.withLock { $0.stream ?? $0.response?.body.stream }
        request.memory.release()
        proxied.end(request.key)
        stream?.detach()
        if let connection {
            let (address, socket) = (UInt(bitPattern: connection), cmicrohttpd_socket(connection))
            parted?.forget(address, socket: socket)
            if !isStopping { watch.begin(address, socket: socket) }
        }
        handler?.finished(request.record(isCutOff: isCutOff))
        live.end(stream)
    }
}

extension MicroRequest.Progress {
    /// The memory that the first bytes of a body reserve.
    private static let leastCapacity = 4096

    /// Reserves memory for the bytes of a body that have arrived.
    ///
    /// The memory doubles, up to the length of the body if it is known, so a body is copied seldom
    /// and reserves at most twice what has arrived.
    ///
    /// - Parameter count: The bytes of the body that have arrived.
    ///
    /// - Returns: False if there is too little memory.
    fileprivate mutating func makeRoom(
        for count: Int, of work: HTTPWork, _ memory: RequestMemory
    ) -> Bool {
        guard count > capacity else { return true }
        let most = length > 0 ? length : work.limit
        let greater = max(count, min(max(2 * capacity, Self.leastCapacity), most))
        guard memory.take(greater - capacity) else { return false }
        capacity = greater
        body.reserveCapacity(capacity)
        return true
    }
}
