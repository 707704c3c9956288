import Synchronization

/// One request as libmicrohttpd brings it, piece by piece, to its thread and one worker.
final class MicroRequest: Sendable {
    struct Progress: Sendable {
        var head: HTTPRequestHead?
        var limit = 0
        var respond: (@Sendable ([UInt8]) -> HTTPResponse)?
        var body: [UInt8] = []
        var bytesReceived = 0
        var bytesSent = 0
        /// Bytes taken of the server's budget.
        var reserved = 0
        /// How much of the body may still be passed over; `nil`: all of it.
        var passOverLimit: Int?
        var isDispatched = false
        /// Made, and not queued yet.
        var response: HTTPResponse?
        var status = 0
        var log = HTTPLogFields()
        var stream: EventStream?
    }

    /// With the query, as it was sent.
    let uri: String
    /// Where the byte behind the URI and its terminator lies: there the version begins, unless a
    /// NUL within the URI has cut it short.
    let versionAddress: UInt
    let start = ContinuousClock.now
    let progress = Mutex(Progress())

    init(uri: UnsafePointer<CChar>) {
        self.uri = String(cString: uri)
        versionAddress = UInt(bitPattern: uri) &+ UInt(bitPattern: Self.length(of: uri)) &+ 1
    }

    private static func length(of text: UnsafePointer<CChar>) -> Int {
        var length = 0
        while text[length] != 0 { length += 1 }
        return length
    }

    var path: String { String(uri.prefix { $0 != "?" }) }

    var query: String {
        uri.firstIndex(of: "?").map { String(uri[uri.index(after: $0)...]) } ?? ""
    }

    func record(isCutOff: Bool) -> HTTPRecord {
        progress.withLock { progress in
            var log = progress.log
            // The library has answered by itself, or the client went.
            if progress.head == nil { log.cause = "its headers were malformed or did not end" }
            return HTTPRecord(
                method: progress.head?.method ?? "", path: path, status: progress.status,
                duration: ContinuousClock.now - start, bytesReceived: progress.bytesReceived,
                bytesSent: progress.bytesSent, isCutOff: isCutOff, log: log)
        }
    }
}
