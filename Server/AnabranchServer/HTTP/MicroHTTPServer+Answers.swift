import CMicroHTTPD
import Synchronization

extension MicroHTTPServer {
    /// Responds without reading the body and closes the connection afterwards.
    func refuse(
        _ request: MicroRequest, on connection: OpaquePointer, _ fault: HTTPFault
    ) -> MHD_Result {
        guard var response = handler?.answer(to: fault) else { return .NO }
        response.headers.append("Connection", "close")
        return send(response, for: request, on: connection)
    }

    func send(
        _ response: HTTPResponse, for request: MicroRequest, on connection: OpaquePointer
    ) -> MHD_Result {
        guard let answer = makeAnswer(response.body, for: request, on: connection) else {
            return .NO
        }
        defer { MHD_destroy_response(answer) }
        for (name, value) in response.headers.fields {
            MHD_add_response_header(answer, name, value)
        }
        let id = request.progress.withLock { progress in
            progress.status = response.status
            progress.log = response.log
            return progress.id
        }
        MHD_add_response_header(answer, "X-Request-ID", id)
        if request.memory.byteCount > 0 {
            watch.begin(
                UInt(bitPattern: connection), socket: cmicrohttpd_socket(connection),
                holding: request.memory, isLimited: false)
        }
        return MHD_queue_response(connection, UInt32(clamping: response.status), answer)
    }

    /// Compresses a response if the client accepts that, and reserves memory for it until it is
    /// sent, in place of the memory of the request.
    ///
    /// - Returns: The response, or the one that the server has too little memory.
    func packed(_ response: HTTPResponse, for request: MicroRequest) -> HTTPResponse {
        var response = response
        guard case .bytes(var bytes) = response.body else {
            request.memory.release()
            return response
        }
        if acceptsZstd(request),
            let smaller = ZstdCodec.compressed(bytes, reserving: { request.memory.take($0) })
        {
            bytes = smaller
            response.body = .bytes(smaller)
            response.headers.append("Content-Encoding", "zstd")
        }
        let size = bytes.count > Self.freeBytes ? bytes.count : 0
        guard !request.memory.replace(by: size) else { return response }
        return handler?.answer(to: .overloaded) ?? HTTPResponse(status: 503)
    }

    /// The size of a response that needs no reservation, so that refusals can always be sent.
    private static let freeBytes = 1024

    private func acceptsZstd(_ request: MicroRequest) -> Bool {
        let accepted = request.progress.withLock { $0.head?.headers[all: "Accept-Encoding"] ?? [] }
        return accepted.flatMap { $0.split(separator: ",") }.contains { coding in
            let parts = coding.split(separator: ";").map { String($0).headerToken }
            return parts.first == "zstd" && !parts.dropFirst().contains { $0.hasPrefix("q=0") }
        }
    }

    private func makeAnswer(
        _ body: HTTPResponse.Body, for request: MicroRequest, on connection: OpaquePointer
    ) -> OpaquePointer? {
        switch body {
        case .bytes(let bytes):
            // The library omits the body of a response to HEAD.
            request.progress.withLock { progress in
                progress.bytesSent = progress.head?.method == "HEAD" ? 0 : bytes.count
            }
            return bytes.withUnsafeBytes { bytes in
                MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress),
                    .RESPMEM_MUST_COPY)
            }
        case .events(let stream):
            return makeStream(stream, for: request, on: connection)
        }
    }

    private func makeStream(
        _ stream: EventStream, for request: MicroRequest, on connection: OpaquePointer
    ) -> OpaquePointer? {
        let address = UInt(bitPattern: connection)
        let carried = MicroStream(stream, request, on: address)
        stream.attach { MHD_resume_connection(OpaquePointer(bitPattern: address)) }
        request.progress.withLock { $0.stream = stream }
        live.add(stream)
        parted?.watch(address, socket: cmicrohttpd_socket(connection)) { stream.close() }
        return MHD_create_response_from_callback(
            .max, 1024, microHTTPReadStream, Unmanaged.passRetained(carried).toOpaque(),
            microHTTPFreeStream)
    }
}
