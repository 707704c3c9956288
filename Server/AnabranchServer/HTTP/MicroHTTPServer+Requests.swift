import CMicroHTTPD
import Synchronization

extension MicroHTTPServer {
    /// Checks the headers of a request and asks the handler if the body is to be read.
    func begin(
        _ request: MicroRequest, on connection: OpaquePointer, method: String,
        version: UnsafePointer<CChar>
    ) -> MHD_Result {
        watch.end(UInt(bitPattern: connection))
        guard let handler else { return .NO }
        var headers = HTTPHeaders()
        withUnsafeMutablePointer(to: &headers) { headers in
            _ = MHD_get_connection_values_n(connection, .HEADER_KIND, microHTTPHeader, headers)
        }
        var head = HTTPRequestHead(
            method: method, path: request.path, query: request.query, headers: headers,
            address: options.proxies.clientAddress(
                SocketAddress.text(of: cmicrohttpd_client_address(connection)), headers))
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
            ?? (isStopping ? .shuttingDown : nil)
        if let fault { return refuse(request, on: connection, fault) }
        switch handler.exchange(for: head) {
        case .answer(let response):
            guard head.hasNoBody else {
                return send(response, for: request, on: connection)
            }
            // A response after the whole request leaves the connection open for the next request.
            request.progress.withLock { $0.response = response }
            return .YES
        case .read(let limit, let respond):
            return prepare(request, on: connection, head, limit: limit, respond)
        }
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
        limit: Int, _ respond: @escaping @Sendable ([UInt8]) -> HTTPResponse
    ) -> MHD_Result {
        let encoding = head.headers["Content-Encoding"]?.headerToken ?? "identity"
        guard encoding == "identity" || encoding == "zstd" else {
            return refuse(request, on: connection, .unsupportedEncoding(encoding))
        }
        let length = head.headers["Content-Length"].map { Int($0) ?? .max } ?? 0
        guard length <= limit else {
            return refuse(request, on: connection, .bodyTooLarge(limit: limit))
        }
        guard budget.take(length) else { return refuse(request, on: connection, .overloaded) }
        request.progress.withLock { progress in
            progress.limit = limit
            progress.respond = respond
            progress.reserved = length
            progress.body.reserveCapacity(min(length, 1 << 20))
        }
        return .YES
    }

    /// Receives a piece of the body.
    ///
    /// libmicrohttpd accepts a response before or after a body, but not within it. If a body of
    /// unknown length exceeds the limit, the server therefore discards up to the limit again, and
    /// sends the refusal at the end of the body.
    ///
    /// - Returns: `NO`, which closes the connection, if the body does not end within that size, or
    ///   arrives too slowly.
    func receive(_ request: MicroRequest, _ bytes: UnsafeRawBufferPointer) -> MHD_Result {
        let isLate = ContinuousClock.now - request.start > .seconds(options.bodySeconds)
        return request.progress.withLock { progress in
            progress.bytesReceived += bytes.count
            guard !isLate else {
                progress.body = []
                return .NO
            }
            guard progress.respond != nil else {
                // The response exists already, so the rest of the body is discarded.
                guard let rest = progress.passOverLimit else { return .YES }
                progress.passOverLimit = rest - bytes.count
                return rest >= bytes.count ? .YES : .NO
            }
            let count = progress.body.count + bytes.count
            guard count <= progress.limit else {
                return passOver(&progress, because: .bodyTooLarge(limit: progress.limit))
            }
            let missing = count - progress.reserved
            if missing > 0 {
                guard budget.take(missing) else { return passOver(&progress, because: .overloaded) }
                progress.reserved += missing
            }
            progress.body.append(contentsOf: bytes)
            return .YES
        }
    }

    private func passOver(
        _ progress: inout MicroRequest.Progress, because fault: HTTPFault
    ) -> MHD_Result {
        guard var response = handler?.answer(to: fault) else { return .NO }
        response.headers.append("Connection", "close")
        budget.giveBack(progress.reserved)
        progress.reserved = 0
        progress.body = []
        progress.respond = nil
        progress.response = response
        progress.passOverLimit = progress.limit
        return .YES
    }

    /// Continues a request after its body is complete or a worker has created its response.
    func goOn(_ request: MicroRequest, on connection: OpaquePointer) -> MHD_Result {
        let (response, isDispatched) = request.progress.withLock { progress in
            defer {
                progress.response = nil
                progress.isDispatched = true
            }
            return (progress.response, progress.isDispatched)
        }
        if let response { return send(response, for: request, on: connection) }
        guard !isDispatched else { return .NO }
        let address = UInt(bitPattern: connection)
        MHD_suspend_connection(connection)
        let isTaken = workers.submit { [self] in
            let response = respond(to: request)
            request.progress.withLock { $0.response = response }
            MHD_resume_connection(OpaquePointer(bitPattern: address))
        }
        if !isTaken {
            let answer = handler?.answer(to: isStopping ? .shuttingDown : .overloaded)
            request.progress.withLock { $0.response = answer }
            MHD_resume_connection(connection)
        }
        return .YES
    }

    private func respond(to request: MicroRequest) -> HTTPResponse {
        let (respond, body, limit, head) = request.progress.withLock { progress in
            defer { progress.body = [] }
            return (progress.respond, progress.body, progress.limit, progress.head)
        }
        guard let respond, let handler else { return HTTPResponse(status: 500) }
        guard head?.headers["Content-Encoding"]?.headerToken == "zstd" else {
            return respond(body)
        }
        do throws(ZstdCodec.Failure) {
            return respond(try ZstdCodec.decompressed(body, limit: limit))
        } catch {
            switch error {
            case .tooLarge(let limit): return handler.answer(to: .bodyTooLarge(limit: limit))
            case .damaged(let cause):
                return handler.answer(
                    to: .malformed(
                        cause: "its body is not zstd: \(cause)", header: "Content-Encoding"))
            }
        }
    }

    func end(_ request: MicroRequest, on connection: OpaquePointer?, isCutOff: Bool) {
        let (reserved, stream) = request.progress.withLock { progress in
            defer { progress.reserved = 0 }
            return (progress.reserved, progress.stream)
        }
        budget.giveBack(reserved)
        stream?.detach()
        if let connection, !isStopping {
            watch.begin(UInt(bitPattern: connection), socket: cmicrohttpd_socket(connection))
        }
        handler?.finished(request.record(isCutOff: isCutOff))
        live.end(stream)
    }
}
