package import AnabranchProtocol
package import AnabranchReplication
internal import AnabranchStore

/// The facts about one exchange that all of its machines know.
package struct Exchange: Sendable {
    let limits: SessionLimits
    /// The facts about the zone; `nil` until hello was said.
    var zone: ZoneState?
    /// The state of the store after its last work.
    var state: SyncState
    var outcome = SyncOutcome()
    /// The position of the log's last entry, as far as it is known.
    var headPosition: UInt64
    /// The position of the last entry that the zone's log has compacted to its name.
    var startPosition: UInt64 = 0
    /// Indicates whether the zone found a snapshot less work than its log for a client without a
    /// cursor.
    var isSnapshotAdvised = false
    /// The number of failures of the present request in a row.
    var failures = 0
    /// The number of remedies so far (`SessionLimits.remedies`).
    private var remedies = 0
    /// The number of bytes to ask for, which shrinks after timeouts.
    var byteLimit: Int
    /// The client's clock when the last request was sent.
    var sentAtMilliseconds: Int64 = 0
    /// The server's clock, as its last answer says.
    private(set) var serverMilliseconds: Int64?

    init(of state: SyncState, zone: ZoneState?, limits: SessionLimits) {
        self.limits = limits
        self.zone = zone
        self.state = state
        headPosition = state.cursor?.position ?? 0
        byteLimit = max(limits.pageBytes, limits.batchBytes)
    }
}

extension Exchange {
    /// Counts a remedy.
    ///
    /// - Returns: False if the exchange has had all that it may have.
    mutating func mayTakeRemedy() -> Bool {
        remedies += 1
        return remedies < limits.remedies
    }
}

// MARK: - Store and log

extension Exchange {
    /// The position in the zone's log up to which the store has pulled.
    var position: UInt64 { state.cursor?.position ?? 0 }

    var isBehindHead: Bool { position < headPosition }

    /// The epoch of the zone, or of the log that the store follows.
    var epoch: EpochID { zone?.epoch ?? state.cursor?.epoch ?? EpochID(high: 0, low: 0) }

    /// Indicates whether the store can continue with the zone's log. It can't if it needs a
    /// snapshot, or if the log has compacted entries after the store's cursor.
    var reachesLog: Bool { !state.wantsSnapshot && position >= startPosition }

    /// Indicates whether the log lacks entries that the store needs, or is more work than a
    /// snapshot.
    var needsSnapshot: Bool { !reachesLog || state.cursor == nil && isSnapshotAdvised }

    /// The number of bytes that a request's body may have.
    var largestBody: Int { zone?.largestBody ?? SyncProtocol.largestBody }

    /// Asks for half as many bytes from now on, because the connection is slow or the server
    /// accepts less than it said.
    mutating func halveBytes() { byteLimit = max(byteLimit / 2, limits.leastBytes) }
}

// MARK: - What the zone says

extension Exchange {
    /// Records what an answer says of the position of the log's last entry, and of the server's
    /// clock.
    mutating func learn(head: UInt64, clock wallMilliseconds: Int64, at input: StepInput) {
        headPosition = max(headPosition, head)
        learn(clock: wallMilliseconds, at: input)
    }

    /// Records the difference between the server's clock and the client's.
    mutating func learn(clock wallMilliseconds: Int64, at input: StepInput) {
        serverMilliseconds = wallMilliseconds
        let offset = offset(ofServer: wallMilliseconds, at: input)
        zone?.clockOffsetMilliseconds = offset
    }

    /// Records the greatest length of a request's body, as the server's refusal of one says.
    ///
    /// - Returns: `false` if the refusal names no limit, or none that is less than the known one.
    mutating func learn(limitIn refusal: SyncError) -> Bool {
        guard let limit = refusal.details["limit"].flatMap({ Int($0) }), limit < largestBody,
            zone != nil
        else { return false }
        zone?.largestBody = max(limit, 0)
        return true
    }

    /// Records which zone answers.
    mutating func learn(_ response: HelloResponse, at input: StepInput) {
        failures = 0
        headPosition = response.headPosition
        serverMilliseconds = response.wallMilliseconds
        zone = ZoneState(
            epoch: response.epoch,
            largestBody: Int(clamping: min(response.largestBody, UInt64(1) << 40)),
            clockOffsetMilliseconds: offset(ofServer: response.wallMilliseconds, at: input),
            quotas: response.quotas)
    }

    /// The offset of the server's clock from the device's clock, as that is now.
    ///
    /// The server answers in the middle of the time between request and answer. When the device's
    /// clock was set in between, that time is no duration: it is negative, or longer than any
    /// request takes. Then only the time of the answer comes from the clock after the jump.
    private func offset(ofServer wallMilliseconds: Int64, at input: StepInput) -> Int64 {
        let (elapsed, isBeyond) = input.wallMilliseconds.subtractingReportingOverflow(
            sentAtMilliseconds)
        let isDuration = !isBeyond && (0...Self.longestRequest).contains(elapsed)
        let middle = input.wallMilliseconds - (isDuration ? elapsed / 2 : 0)
        return wallMilliseconds.subtractingReportingOverflow(middle).partialValue
    }

    /// The longest time in milliseconds that counts as the duration of a request.
    private static let longestRequest: Int64 = 60_000
}

/// The facts about a zone that an engine keeps from one exchange to the next.
package struct ZoneState: Hashable, Sendable {
    package var epoch: EpochID
    /// The greatest length of a request's body after decompression, in bytes.
    package var largestBody: Int
    /// The milliseconds to add to the client's clock to get the server's.
    package var clockOffsetMilliseconds: Int64
    package var quotas: [QuotaUse] = []
}
