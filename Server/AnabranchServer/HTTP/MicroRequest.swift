import Synchronization

/// The state of one request, shared by a thread of libmicrohttpd and one worker.
final class MicroRequest: Sendable {
    struct Progress: Sendable {
        var head: HTTPRequestHead?
        var work: HTTPWork?
        /// The announced length of the body; zero if there is none.
        var length = 0
        /// The decision about the client's right; `nil` before it is known.
        var admission: HTTPAdmission?
        var body: [UInt8] = []
        /// The number of bytes of the body for which memory is reserved.
        var capacity = 0
        var pace = UploadPace(from: .now)
        var bytesReceived = 0
        var bytesSent = 0
        /// The number of body bytes that may still be discarded; `nil` if there is no limit. If
        /// more bytes arrive, the connection is closed.
        var passOverLimit: Int?
        var isDispatched = false
        /// A response that is not queued yet.
        var response: HTTPResponse?
        var status = 0
        /// The ID of the request in the log and in the answer.
        var id = String(UInt64.random(in: .min ... .max), radix: 16)
        var log = HTTPLogFields()
        var stream: EventStream?
    }

    /// The path and the query, as they were sent.
    let uri: String
    /// The address after the URI and its terminator.
    ///
    /// The HTTP version begins there, unless a NUL within the URI has cut it short.
    let versionAddress: UInt
    let start = ContinuousClock.now
    let memory: RequestMemory
    let progress = Mutex(Progress())

    init(uri: UnsafePointer<CChar>, _ budget: MemoryBudget) {
        memory = RequestMemory(budget, for: [.unadmitted])
        self.uri = String(cString: uri)
        versionAddress = UInt(bitPattern: uri) &+ UInt(bitPattern: Self.length(of: uri)) &+ 1
    }

    private static func length(of text: UnsafePointer<CChar>) -> Int {
        var length = 0
        while text[length] != 0 { length += 1 }
        return length
    }

    /// Distinguishes this request from all others that have not ended.
    var key: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

    var path: String { String(uri.prefix { $0 != "?" }) }

    var query: String {
        uri.firstIndex(of: "?").map { String(uri[uri.index(after: $0)...]) } ?? ""
    }

    func record(isCutOff: Bool) -> HTTPRecord {
        progress.withLock { progress in
            var log = progress.log
            // The library responded itself, or the client closed the connection.
            if progress.head == nil { log.cause = "its headers were malformed or did not end" }
            return HTTPRecord(
                id: progress.id, method: progress.head?.method ?? "", path: path,
                address: progress.head?.address ?? "", status: progress.status,
                duration: ContinuousClock.now - start, bytesReceived: progress.bytesReceived,
                bytesSent: progress.bytesSent, isCutOff: isCutOff, log: log)
        }
    }
}
