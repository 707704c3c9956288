import CMicroHTTPD
import Synchronization

// The functions that libmicrohttpd calls from its own threads. `context` is the server, which
// outlives the library's daemon.

private func server(_ context: UnsafeMutableRawPointer?) -> MicroHTTPServer? {
    context.map { Unmanaged<MicroHTTPServer>.fromOpaque($0).takeUnretainedValue() }
}

/// Creates the state of a request when its request line has arrived.
///
/// The returned pointer belongs to the request until `microHTTPEnd`.
func microHTTPBegin(
    context: UnsafeMutableRawPointer?, uri: UnsafePointer<CChar>?, connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let server = server(context), let uri else { return nil }
    server.live.begin()
    return Unmanaged.passRetained(MicroRequest(uri: uri, server.budget)).toOpaque()
}

/// Serves a request step by step.
///
/// The library calls it with the headers, for each piece of the body, at the end of the body, and
/// when a suspended connection resumes.
func microHTTPServe(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, url: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?,
    upload: UnsafePointer<CChar>?, uploadSize: UnsafeMutablePointer<Int>?,
    state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let server = server(context), let connection, let method, let version, let uploadSize,
        let state = state?.pointee
    else { return .NO }
    let request = Unmanaged<MicroRequest>.fromOpaque(state).takeUnretainedValue()
    guard request.progress.withLock({ $0.head != nil }) else {
        return server.begin(
            request, on: connection, method: String(cString: method), version: version)
    }
    let count = uploadSize.pointee
    guard count > 0 else { return server.goOn(request, on: connection) }
    uploadSize.pointee = 0
    return server.receive(
        request, on: connection, UnsafeRawBufferPointer(start: upload, count: count))
}

func microHTTPEnd(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, how: MHD_RequestTerminationCode
) {
    guard let server = server(context), let opaque = state?.pointee else { return }
    state?.pointee = nil
    let request = Unmanaged<MicroRequest>.fromOpaque(opaque).takeRetainedValue()
    server.end(
        request, on: connection,
        isCutOff: how != MHD_RequestTerminationCode.REQUEST_TERMINATED_COMPLETED_OK)
}

func microHTTPConnection(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    socketContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    code: MHD_ConnectionNotificationCode
) {
    guard let server = server(context), let connection else { return }
    let address = UInt(bitPattern: connection)
    if code == .CONNECTION_NOTIFY_STARTED {
        server.opened(connection)
    } else {
        server.watch.close(address)
        server.peers.end(address)
    }
}

/// Adds one header to the `HTTPHeaders` that `context` points to.
func microHTTPHeader(
    context: UnsafeMutableRawPointer?, kind: MHD_ValueKind, name: UnsafePointer<CChar>?,
    nameSize: Int, value: UnsafePointer<CChar>?, valueSize: Int
) -> MHD_Result {
    guard let headers = context?.assumingMemoryBound(to: HTTPHeaders.self) else { return .NO }
    headers.pointee.append(text(name, nameSize), text(value, valueSize))
    return .YES
}

private func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    String(
        decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count),
        as: UTF8.self)
}

/// An event stream and the connection that sends it.
final class MicroStream: Sendable {
    let stream: EventStream
    let request: MicroRequest
    /// The address of the `MHD_Connection`.
    let connection: UInt

    init(_ stream: EventStream, _ request: MicroRequest, on connection: UInt) {
        self.stream = stream
        self.request = request
        self.connection = connection
    }
}

func microHTTPReadStream(
    context: UnsafeMutableRawPointer?, position: UInt64, buffer: UnsafeMutablePointer<CChar>?,
    size: Int
) -> Int {
    guard let context, let buffer else { return cmicrohttpd_end_of_stream() }
    let carried = Unmanaged<MicroStream>.fromOpaque(context).takeUnretainedValue()
    let target = UnsafeMutableRawBufferPointer(start: buffer, count: size)
    let taken = carried.stream.take(into: target) {
        MHD_suspend_connection(OpaquePointer(bitPattern: carried.connection))
    }
    switch taken {
    case .bytes(let count):
        carried.request.progress.withLock { $0.bytesSent += count }
        return count
    case .nothing: return 0
    case .end: return cmicrohttpd_end_of_stream()
    }
}

func microHTTPFreeStream(context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<MicroStream>.fromOpaque(context).release()
}
