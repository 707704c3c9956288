public import AnabranchProtocol
public import AnabranchReplication
import Foundation

/// One zone: accepts pushed change sets, answers pulls, and maintains the merged state.
///
/// All calls are synchronous and may come from any thread. The type does not use HTTP, the system
/// clock or random numbers, so a simulation can replay it. A response is sent only after its result
/// is durable.
public final class ZoneService: Sendable {
    /// The zone's name.
    public let name: ZoneName
    /// The zone's limits.
    public let limits: ZoneLimits

    let storage: any ZoneStorage
    let transactions: ZoneTransactions
    let wallMilliseconds: @Sendable () -> Int64
    let observers: HeadObservers
    /// Tells other daemons about a new head.
    let announce: @Sendable (ZoneHead) -> Void
    let hashes = HeadCache<Digest>()
    let linkCountAtHead = HeadCache<Int64>()
    let jobs: WholeZoneJobs
    let metrics: ServerMetrics
    private let acknowledged = AcknowledgedPositions()
    private let pushes: CommitQueue<PushJob, PushOutcome>
    private let hook: ValidationHook?
    private let record: @Sendable (PushRecord) -> Void

    /// The greatest number of pushes in one transaction, so that the first does not wait long.
    static let maximumPushesTogether = 64

    /// Creates the service of a zone.
    ///
    /// - Parameters:
    ///   - wallMilliseconds: The server's clock, since 1970-01-01 UTC.
    ///   - validation: The operator's own rules; `nil` if there are none.
    ///   - hook: Asked for its verdict on each new save, before the push is queued.
    ///   - record: Called for every push, in the order of the log, before it is answered.
    ///   - announce: Tells other daemons that serve the zone about a new head.
    ///   - jobs: The jobs of all zones of the server that read a whole zone.
    ///   - observers: Are notified when the log grows; they may outlive this service.
    ///   - metrics: Records what the zone does.
    package init(
        name: ZoneName, storage: any ZoneStorage, limits: ZoneLimits = ZoneLimits(),
        validation: PushValidation? = nil, hook: ValidationHook? = nil,
        record: @escaping @Sendable (PushRecord) -> Void = { _ in },
        announce: @escaping @Sendable (ZoneHead) -> Void = { _ in },
        jobs: WholeZoneJobs = WholeZoneJobs(), observers: HeadObservers = HeadObservers(),
        wallMilliseconds: @escaping @Sendable () -> Int64,
        metrics: ServerMetrics = ServerMetrics()
    ) {
        self.name = name
        self.storage = storage
        let transactions = ZoneTransactions(storage: storage, metrics: metrics)
        self.transactions = transactions
        self.limits = limits
        self.announce = announce
        self.jobs = jobs
        self.observers = observers
        self.wallMilliseconds = wallMilliseconds
        self.metrics = metrics
        self.hook = hook
        self.record = record
        let intake = PushProcessor(
            limits: limits, wallMilliseconds: wallMilliseconds, zone: name,
            validation: validation, needsVerdict: hook != nil, metrics: metrics, stop: storage.stop)
        pushes = CommitQueue(maximumTogether: Self.maximumPushesTogether) { [acknowledged] jobs in
            let needs = jobs.dropFirst().reduce(into: jobs[0].needs) { $0.add($1.needs) }
            let start = ContinuousClock.now
            let outcomes = try transactions.write(needs) { writer in
                let outcomes = try jobs.map { try intake.take($0, into: writer) }
                acknowledged.flush(into: writer)
                return outcomes
            }
            metrics.commits.record(Double(jobs.count))
            metrics.commitSeconds.record((ContinuousClock.now - start) / .seconds(1))
            for (job, outcome) in zip(jobs, outcomes) {
                let push = PushRecord(job, in: name, outcome)
                metrics.count(push)
                record(push)
            }
            return outcomes
        }
    }

    /// The number of pushes that wait for their transaction.
    var waitingPushes: Int { pushes.waitingCount }

    /// Releases files and connections. Later calls throw.
    public func close() {
        // Clients repeat their positions in every `hello`, so losing them costs nothing.
        try? acknowledged.flush(into: transactions)
        storage.close()
    }

    /// Appends change sets in their order, up to the first that is refused.
    ///
    /// A change set that is rejected permanently becomes a void, which keeps its position
    /// (``PushValidation``). A change set that the log already holds is acknowledged in the log's
    /// form and not applied again, so a retry after a lost response is harmless. An acknowledged
    /// change set is durable.
    ///
    /// - Parameters:
    ///   - origin: The right and the address of the request; `nil` for a caller in this process.
    ///   - memory: The memory that the request takes; `nil` for a caller in this process.
    ///
    /// - Throws: `unknownEpoch` if the client knows another log. `storageFull`, `internalError`, or
    ///   `overloaded` if the operator's hook fails; then nothing of the request was kept: retry.
    package func push(
        _ request: PushRequest, from origin: RequestOrigin? = nil, _ memory: RequestMemory? = nil
    ) throws(ProtocolError) -> PushAnswer {
        let job = PushJob(request, from: origin, memory, limits: limits)
        let answer: PushAnswer
        do throws(ProtocolError) {
            answer = try named { () throws -> PushAnswer in
                guard let hook else { return try pushes.run(job).answer }
                return try pushes.run(try validated(job, by: hook)).answer
            }
        } catch {
            record(PushRecord(job, in: name, refusedBy: error))
            throw error
        }
        if let refused = answer.wholeRefusal { throw refused }
        if !answer.acknowledgements.isEmpty {
            // A repeated push is reported too: the daemon that took it may have ended before.
            grew(to: ZoneHead(epoch: request.epoch, position: answer.headPosition))
        }
        return answer
    }

    /// Reports a new head to the observers here and to other daemons.
    func grew(to head: ZoneHead) {
        observers.notify(head)
        announce(head)
    }

    /// The log's change sets after a cursor.
    ///
    /// - Throws: `unknownCursor` if the cursor is not of this log: send hello. `snapshotRequired`
    ///   if the log was compacted beyond the cursor.
    package func pull(
        _ request: PullRequest, _ memory: RequestMemory? = nil
    ) throws(ProtocolError) -> PullResponse {
        try named {
            try storage.read { reader in
                let log = try reader.logState()
                let start = request.cursor ?? LogCursor(startOf: log.head.epoch)
                guard let cursor = try reader.presentForm(of: start, in: log) else {
                    throw ProtocolError(
                        .unknownCursor,
                        "Can't pull from position \(start.position) because that position is in "
                            + "another log: say hello first.")
                }
                guard cursor.position >= log.startPosition else {
                    throw ProtocolError(
                        .snapshotRequired,
                        "Can't pull from position \(cursor.position) because the log has only the "
                            + "entries after position \(log.startPosition): take a snapshot.",
                        details: ["start": "\(log.startPosition)"])
                }
                let bytes = min(request.byteLimit, UInt64(limits.pageBytes))
                if let memory, cursor.position < log.head.position {
                    let first = try reader.byteCount(ofChangeSetAt: cursor.position + 1)
                    // The page, and its copy in the answer.
                    try memory.need(2 * max(Int(bytes), first))
                }
                let page = try reader.changeSets(
                    after: cursor.position, byteLimit: Int(clamping: bytes))
                return PullResponse(
                    cursor: page.cursor ?? cursor, headPosition: log.head.position,
                    wallMilliseconds: wallMilliseconds(), changeSets: page.changeSets)
            }
        }
    }

    /// Compares a client's position and last save with the zone's log.
    ///
    /// - Parameter isRecorded: False for a right that may not change the zone: then the log keeps
    ///   nothing for the replica that the request names.
    package func hello(
        _ request: HelloRequest, isRecorded: Bool = true
    ) throws(ProtocolError) -> HelloResponse {
        try named {
            let (response, acknowledgedPosition) = try answer(to: request)
            if let acknowledgedPosition, isRecorded {
                note(request.replica, at: acknowledgedPosition)
            }
            return response
        }
    }

    /// Records the position of a replica that said hello.
    private func note(_ replica: ReplicaID, at position: UInt64) {
        let isDue = acknowledged.record(replica, at: position, now: wallMilliseconds())
        // A failure must not fail the request: clients repeat their positions.
        if isDue { try? flushAcknowledgements() }
    }

    /// Keeps no entries of the log for a replica any longer, until it says hello again.
    ///
    /// - Returns: False if the zone keeps none for it already.
    public func forget(_ replica: ReplicaID) throws(ProtocolError) -> Bool {
        try named {
            acknowledged.remove(replica)
            return try transactions.write { writer in
                guard let known = try writer.sent().acknowledgements()[replica], known.isSeen else {
                    return false
                }
                writer.acknowledge([replica: known.forgotten])
                return true
            }
        }
    }

    /// Writes the positions of replicas that were not written yet.
    func flushAcknowledgements() throws { try acknowledged.flush(into: transactions) }

    private func answer(
        to request: HelloRequest
    ) throws -> (response: HelloResponse, acknowledged: UInt64?) {
        try storage.read { reader in
            let log = try reader.logState()
            let cursor = try request.cursor.flatMap { try reader.presentForm(of: $0, in: log) }
            let head = try reader.head(of: request.replica)
            let response = HelloResponse(
                epoch: log.head.epoch,
                earlierEpochs: log.history.epochs.dropLast().map(\.id),
                headPosition: log.head.position, startPosition: log.startPosition,
                isSnapshotAdvised: try request.cursor == nil
                    && reader.snapshotAdvice(log, limits).isAdvised(limits),
                isCursorKnown: request.cursor == nil || cursor != nil,
                lastSequence: head?.sequence ?? 0,
                origin: try reader.origin(of: request.replica, last: request.last, head: head),
                wallMilliseconds: wallMilliseconds(), largestBody: UInt64(limits.bodyBytes),
                quotas: try quotaUses(reader))
            // Only replicas that have pushed hold back a compaction: those are bounded by a quota,
            // and a right to read makes none. Another one takes a snapshot if it returns late.
            return (response, head == nil ? nil : cursor?.position)
        }
    }

    package func head() throws(ProtocolError) -> ZoneHead {
        try named {
            let head = try storage.read { try $0.logState().head }
            return ZoneHead(epoch: head.epoch, position: head.position)
        }
    }
}
