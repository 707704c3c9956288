import Synchronization

/// The operator's hook: a program or a local HTTP endpoint that accepts or rejects the saves of a
/// push before the zone looks for their place in the log.
///
/// The hook sees every save that is new to the zone, outside of any transaction. Its rejection is
/// permanent: the save becomes a void. If it gives no answer, the push is refused, and the client
/// repeats it. A save that was refused meanwhile may be shown again, so an answer must follow from
/// the request alone.
public final class ValidationHook: Sendable {
    /// The limits of a hook.
    public struct Options: Hashable, Sendable {
        /// The greatest time for one call.
        public var timeout: Duration = .milliseconds(2000)
        /// The greatest number of calls at once. As many pushes wait for one of them; a further
        /// push is refused as overloaded. One zone has at most half of both.
        public var calls = 4

        /// Creates the default limits.
        public init() {}
    }

    private let channel: any ValidationChannel
    private let options: Options
    private let gate: CallGate
    /// Ends the calls under way.
    private let stop = StopSignal()
    private let lastID = Atomic<UInt64>(0)

    /// Creates the hook at a place. A command is started with the first call.
    public convenience init(at place: ValidationPlace, options: Options = Options()) {
        let channel: any ValidationChannel =
            switch place {
            case .http(let url): HTTPValidation(url)
            case .command(let path): CommandValidation(path)
            }
        self.init(channel, options: options)
    }

    init(_ channel: any ValidationChannel, options: Options = Options()) {
        self.channel = channel
        self.options = options
        gate = CallGate(running: options.calls, waiting: options.calls)
    }

    /// The number of the next call.
    func nextID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }

    /// Asks the hook for its verdicts.
    ///
    /// - Parameters:
    ///   - line: The request, as ``ValidationRequest`` writes it.
    ///   - id: The number of the call, which the request has.
    ///   - count: The number of change sets in the request.
    ///   - zone: The zone that the saves were pushed to.
    ///
    /// - Returns: One verdict for each change set, in their order.
    func verdicts(
        on line: [UInt8], id: UInt64, count: Int, zone: String
    ) throws(ValidationFailure) -> [ValidationVerdict] {
        try gate.run(for: zone, within: options.timeout) { () throws(ValidationFailure) in
            let answer = try channel.answer(
                to: line, of: zone, within: options.timeout, unless: stop)
            return try ValidationAnswer.verdicts(in: answer, of: id, count: count)
        }
    }

    /// Refuses the calls that wait for their turn, and all later ones, because the server stops.
    /// Those under way fail when the time is over.
    func beginStop(allowing duration: Duration) {
        stop.begin(allowing: duration)
        gate.close()
    }

    /// Ends the processes and the connections of the hook, after the last push.
    public func close() { channel.close() }
}
