/// The way to the operator's hook, which carries one request and one answer at a time for each
/// caller.
protocol ValidationChannel: Sendable {
    /// Sends a request and waits for its answer; called by several threads at once.
    ///
    /// - Parameters:
    ///   - request: JSON on one line, with a line feed at its end.
    ///   - zone: The zone that the request is about.
    ///   - timeout: The greatest time for the whole exchange.
    ///   - stop: Ends the exchange when the server stops.
    ///
    /// - Returns: The bytes of the answer, which may be anything.
    func answer(
        to request: [UInt8], of zone: String, within timeout: Duration, unless stop: StopSignal
    ) throws(ValidationFailure) -> [UInt8]

    /// Releases connections and ends processes; no call runs meanwhile or later.
    func close()
}

/// The greatest number of bytes of an answer.
let largestValidationAnswer = 16 << 20
