internal import CCurl
internal import Dispatch

/// One HTTP connection that stays open from request to request, on a queue of its own.
///
/// It is an easy handle in a multi handle. The multi handle keeps the connection open, and another
/// thread can wake it up, so a cancelled task ends its transfer at once.
final class CurlConnection: @unchecked Sendable {
    // Both are used only on the queue, except by `curl_multi_wakeup`, which any thread may call.
    private let easy: UnsafeMutableRawPointer
    private let multi: UnsafeMutableRawPointer
    private let queue: DispatchQueue
    /// libcurl's description of the last failure.
    private let description: UnsafeMutablePointer<CChar>

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    /// Creates a connection.
    ///
    /// - Parameter label: The name of the queue, for debuggers.
    init(label: String) throws {
        guard Self.isReady, let multi = curl_multi_init() else { throw Self.unusable }
        guard let easy = curl_easy_init() else {
            curl_multi_cleanup(multi)
            throw Self.unusable
        }
        self.easy = easy
        self.multi = multi
        queue = DispatchQueue(label: label)
        description = .allocate(capacity: Int(CURL_ERROR_SIZE))
        description.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_multi_cleanup(multi)
        description.deallocate()
    }

    private static let unusable = SyncError(
        .unreachable, "Can't reach any server because libcurl could not be initialized.")

    /// Performs a transfer.
    ///
    /// - Throws: `SyncError` if no response came, `CancellationError` if the task was cancelled.
    func perform(_ transfer: CurlTransfer) async throws -> CurlResponse {
        let cancellation = CurlCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    continuation.resume(with: Result { try run(transfer, until: cancellation) })
                }
            }
        } onCancel: {
            cancellation.cancel()
            curl_multi_wakeup(multi)
        }
    }

    private func run(
        _ transfer: CurlTransfer, until cancellation: CurlCancellation
    ) throws -> CurlResponse {
        let receiver = CurlReceiver(transfer)
        let headers = try CurlHeaders(transfer.headers)
        // The body's bytes and the receiver must not move while libcurl holds pointers to them.
        let code = try withExtendedLifetime((receiver, headers)) {
            try (transfer.body ?? []).withUnsafeBytes { body in
                configure(transfer, body: body, headers: headers, receiver: receiver)
                return try drive(transfer, until: cancellation)
            }
        }
        if let failure = receiver.failure { throw failure }
        guard code == CURLE_OK else { throw error(code, of: transfer) }
        return receiver.response
    }

    private static let longestWait = Duration.seconds(3600)

    /// Runs the transfer to its end.
    ///
    /// What has arrived is read before the transfer's patience is asked, so a process that was
    /// stopped for a while finds the bytes that came meanwhile.
    private func drive(
        _ transfer: CurlTransfer, until cancellation: CurlCancellation
    ) throws -> CURLcode {
        guard curl_multi_add_handle(multi, easy) == CURLM_OK else { throw Self.unusable }
        defer { curl_multi_remove_handle(multi, easy) }
        var running: Int32 = 1
        while running > 0 {
            if cancellation.isCancelled { throw CancellationError() }
            guard curl_multi_perform(multi, &running) == CURLM_OK else { throw Self.unusable }
            guard running > 0 else { break }
            let patience = transfer.patience?() ?? Self.longestWait
            guard patience > .zero else { throw Self.silent(transfer.url) }
            // Bytes, libcurl's own timers and a cancellation end the wait.
            let wait = min(patience, Self.longestWait).curlMilliseconds
            curl_multi_poll(multi, nil, 0, Int32(wait), nil)
        }
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            let result = anabranch_curl_result(message)
            if result != CURL_LAST { return result }
        }
        throw Self.unusable
    }

    private func configure(
        _ transfer: CurlTransfer, body: UnsafeRawBufferPointer, headers: CurlHeaders,
        receiver: CurlReceiver
    ) {
        curl_easy_reset(easy)
        description.pointee = 0
        anabranch_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, description)
        anabranch_curl_allow_http_only(easy)
        anabranch_curl_set_string(easy, CURLOPT_URL, transfer.url)
        anabranch_curl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        anabranch_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        anabranch_curl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1)
        anabranch_curl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2)
        anabranch_curl_set_long(
            easy, CURLOPT_CONNECTTIMEOUT_MS, transfer.connectTimeout.curlMilliseconds)
        anabranch_curl_set_long(easy, CURLOPT_TIMEOUT_MS, transfer.timeout?.curlMilliseconds ?? 0)
        if let file = transfer.certificateAuthorities {
            anabranch_curl_set_string(easy, CURLOPT_CAINFO, file)
        }
        if let client = transfer.clientCertificate {
            anabranch_curl_set_string(easy, CURLOPT_SSLCERT, client.certificateFile)
            anabranch_curl_set_string(easy, CURLOPT_SSLKEY, client.keyFile)
        }
        if !transfer.pinnedPublicKeys.isEmpty {
            anabranch_curl_set_string(easy, CURLOPT_PINNEDPUBLICKEY, transfer.pinnedPublicKeys)
        }
        anabranch_curl_set_list(easy, CURLOPT_HTTPHEADER, headers.list)
        if transfer.body != nil {
            anabranch_curl_set_long(easy, CURLOPT_POST, 1)
            anabranch_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            anabranch_curl_set_pointer(
                easy, CURLOPT_POSTFIELDS, body.baseAddress ?? UnsafeRawPointer(easy))
        }
        listen(receiver)
    }

    private func listen(_ receiver: CurlReceiver) {
        let pointer = Unmanaged.passUnretained(receiver).toOpaque()
        anabranch_curl_set_pointer(easy, CURLOPT_WRITEDATA, pointer)
        anabranch_curl_set_pointer(easy, CURLOPT_HEADERDATA, pointer)
        anabranch_curl_set_receiver(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, pointer in
            guard let pointer else { return 0 }
            let receiver = Unmanaged<CurlReceiver>.fromOpaque(pointer).takeUnretainedValue()
            let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return receiver.receive(body: buffer) ? size * count : 0
        }
        anabranch_curl_set_receiver(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, pointer in
            guard let pointer else { return 0 }
            let receiver = Unmanaged<CurlReceiver>.fromOpaque(pointer).takeUnretainedValue()
            let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return receiver.receive(header: buffer) ? size * count : 0
        }
    }

    private static func silent(_ url: String) -> SyncError {
        SyncError(
            .timedOut, "Can't continue with \(url) because nothing has arrived for too long.",
            details: ["server": url])
    }

    private func error(_ code: CURLcode, of transfer: CurlTransfer) -> SyncError {
        let url = transfer.url
        let described = String(cString: description)
        let cause = described.isEmpty ? String(cString: curl_easy_strerror(code)) : described
        var verification = 0
        anabranch_curl_get_long(easy, CURLINFO_SSL_VERIFYRESULT, &verification)
        if code == CURLE_SSL_CERTPROBLEM, let client = transfer.clientCertificate {
            return SyncError(
                .unusableCertificate,
                "Can't use the client's certificate \(client.certificateFile) with the key "
                    + "\(client.keyFile) because the connection failed: \(cause). Check both "
                    + "files.", details: ["certificate": client.certificateFile])
        }
        if let failure = TrustFailure(code, verification: verification) {
            return failure.error(
                url: url, description: cause, authorities: transfer.certificateAuthorities)
        }
        let kind: SyncError.Code =
            switch code {
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .invalidServer
            default: .unreachable
            }
        return SyncError(
            kind,
            "Can't reach \(url) because the transfer failed: \(cause)."
                + (adviceOnCut(transfer) ?? Self.adviceOnScheme(code, url)),
            details: ["server": url, "curl": "\(code.rawValue)"])
    }

    /// Advice for a connection that ended while a large request was sent; `nil` if it did not.
    ///
    /// A proxy that does not take so many bytes may close the connection instead of answering.
    private func adviceOnCut(_ transfer: CurlTransfer) -> String? {
        guard let count = transfer.body?.count else { return nil }
        var sent: curl_off_t = 0
        anabranch_curl_get_offset(easy, CURLINFO_SIZE_UPLOAD_T, &sent)
        guard sent >= Self.leastLarge else { return nil }
        return " The connection ended after \(sent) of the request's \(count) bytes were sent. If "
            + "that happens again and again, something on the way, such as a proxy, takes no "
            + "requests of this size: have its limit of bodies raised. What was saved later waits "
            + "until then."
    }

    /// A connection to a wrong port, or with a wrong scheme, ends before so many bytes.
    private static let leastLarge = 64 << 10

    /// Advice for an address with the scheme of the other kind of server: with TLS, or without.
    private static func adviceOnScheme(_ code: CURLcode, _ url: String) -> String {
        let isPlain = url.lowercased().hasPrefix("http:")
        switch code {
        case CURLE_GOT_NOTHING where isPlain, CURLE_RECV_ERROR where isPlain:
            return " If the server uses TLS, its address begins with https."
        case CURLE_SSL_CONNECT_ERROR where !isPlain:
            return " If the server does not use TLS, its address begins with http."
        default: return ""
        }
    }
}

/// A list of headers in libcurl's form.
private final class CurlHeaders {
    private(set) var list: UnsafeMutablePointer<curl_slist>?

    init(_ headers: [String]) throws {
        for header in headers {
            guard let longer = curl_slist_append(list, header) else {
                throw SyncError(
                    .unreachable, "Can't send a request because there is not enough memory.")
            }
            list = longer
        }
    }

    deinit { curl_slist_free_all(list) }
}

extension Duration {
    /// The duration in milliseconds, at least one, because zero means "never" to libcurl.
    fileprivate var curlMilliseconds: Int {
        let (seconds, attoseconds) = components
        let milliseconds = seconds.multipliedReportingOverflow(by: 1000)
        let whole = milliseconds.overflow ? Int64(Int32.max) : milliseconds.partialValue
        return Int(min(max(whole + attoseconds / 1_000_000_000_000_000, 1), Int64(Int32.max)))
    }
}
