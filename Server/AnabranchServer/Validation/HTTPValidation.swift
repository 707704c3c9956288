import CCurl
import Synchronization

/// Sends requests to an HTTP endpoint by libcurl, over connections that stay open.
final class HTTPValidation: ValidationChannel {
    private let url: String
    /// The connections that no call uses.
    private let idle = Mutex<[ValidationConnection]>([])

    init(_ url: String) { self.url = url }

    func answer(
        to request: [UInt8], of zone: String, within timeout: Duration, unless stop: StopSignal
    ) throws(ValidationFailure) -> [UInt8] {
        let connection: ValidationConnection
        if let unused = idle.withLock({ $0.popLast() }) {
            connection = unused
        } else {
            connection = try ValidationConnection()
        }
        defer { idle.withLock { $0.append(connection) } }
        return try connection.post(request, to: url, within: timeout, unless: stop)
    }

    func close() { idle.withLock { $0 = [] } }
}

/// One libcurl handle with its connection, used by one thread at a time.
private final class ValidationConnection: @unchecked Sendable {
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    private let easy: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?

    init() throws(ValidationFailure) {
        guard Self.isReady, let easy = curl_easy_init() else {
            throw ValidationFailure("libcurl could not be initialized")
        }
        self.easy = easy
        // Without an empty `Expect`, libcurl asks for permission before it sends a large body.
        for header in ["Content-Type: application/json", "Expect:"] {
            headers = curl_slist_append(headers, header)
        }
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headers)
    }

    /// Sends a body and returns the answer's body.
    func post(
        _ body: [UInt8], to url: String, within timeout: Duration, unless stop: StopSignal
    ) throws(ValidationFailure) -> [UInt8] {
        let receiver = AnswerReceiver(stop)
        let code = withExtendedLifetime(receiver) {
            body.withUnsafeBytes { bytes in
                configure(url, bytes, timeout, receiver)
                return curl_easy_perform(easy)
            }
        }
        guard !receiver.isTooLarge else {
            throw ValidationFailure("its answer has more than \(largestValidationAnswer) bytes")
        }
        guard code != CURLE_ABORTED_BY_CALLBACK else { throw .isStopping }
        guard code != CURLE_OPERATION_TIMEDOUT else {
            throw ValidationFailure.noAnswer(within: timeout)
        }
        guard code == CURLE_OK else {
            throw ValidationFailure(
                "it can't be reached: \(String(cString: curl_easy_strerror(code)))")
        }
        var status = 0
        anabranch_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        guard status == 200 else { throw ValidationFailure("it answered with status \(status)") }
        return receiver.bytes
    }

    private func configure(
        _ url: String, _ body: UnsafeRawBufferPointer, _ timeout: Duration,
        _ receiver: AnswerReceiver
    ) {
        // A reset keeps the connection.
        curl_easy_reset(easy)
        anabranch_curl_allow_http_only(easy)
        anabranch_curl_set_string(easy, CURLOPT_URL, url)
        anabranch_curl_set_string(easy, CURLOPT_NOPROXY, "*")
        anabranch_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        anabranch_curl_set_long(easy, CURLOPT_TIMEOUT_MS, timeout.wholeMilliseconds)
        anabranch_curl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, timeout.wholeMilliseconds)
        anabranch_curl_set_list(easy, CURLOPT_HTTPHEADER, headers)
        anabranch_curl_set_long(easy, CURLOPT_POST, 1)
        anabranch_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        anabranch_curl_set_pointer(easy, CURLOPT_POSTFIELDS, body.baseAddress)
        anabranch_curl_set_pointer(
            easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(receiver).toOpaque())
        anabranch_curl_set_receiver(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, pointer in
            guard let pointer else { return 0 }
            let receiver = Unmanaged<AnswerReceiver>.fromOpaque(pointer).takeUnretainedValue()
            let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return receiver.receive(buffer) ? size * count : 0
        }
        // libcurl asks at least once a second.
        anabranch_curl_set_long(easy, CURLOPT_NOPROGRESS, 0)
        anabranch_curl_set_pointer(
            easy, CURLOPT_XFERINFODATA, Unmanaged.passUnretained(receiver).toOpaque())
        anabranch_curl_set_progress(easy, CURLOPT_XFERINFOFUNCTION) { pointer, _, _, _, _ in
            guard let pointer else { return 1 }
            let receiver = Unmanaged<AnswerReceiver>.fromOpaque(pointer).takeUnretainedValue()
            return receiver.stop.isOver ? 1 : 0
        }
    }
}

/// Collects the body of an answer.
private final class AnswerReceiver {
    /// Ends the transfer.
    let stop: StopSignal
    private(set) var bytes: [UInt8] = []
    private(set) var isTooLarge = false

    init(_ stop: StopSignal) { self.stop = stop }

    /// - Returns: False to end the transfer.
    func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        isTooLarge = bytes.count + piece.count > largestValidationAnswer
        if !isTooLarge { bytes += piece }
        return !isTooLarge
    }
}
