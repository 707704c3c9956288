import AnabranchProtocol
import AnabranchReplication
import AnabranchStore

@testable import AnabranchSync

/// A session with everything that its events need, and a short form of its actions for tables.
struct SessionScript {
    var session: SyncSession
    var moment = StepInput(wallMilliseconds: 1_000, draw: .max)
    private(set) var action: SyncSession.Action?
    /// The body of the last request.
    private(set) var body: [UInt8] = []
    private(set) var ending: SyncSession.Ending?

    static let epoch = EpochID(high: 0xE, low: 1)
    static let me = ReplicaID(high: 1, low: 1)
    static let other = ReplicaID(high: 2, low: 2)

    init(knowsZone: Bool = true, _ change: (inout SessionLimits) -> Void = { _ in }) {
        var limits = SessionLimits()
        change(&limits)
        let zone = ZoneState(
            epoch: Self.epoch, largestBody: 1 << 20, clockOffsetMilliseconds: 0)
        session = SyncSession(limits: limits, zone: knowsZone ? zone : nil)
    }

    mutating func begin(
        _ state: SyncState = state(), verifying mode: VerificationMode? = nil
    ) -> String {
        describe(session.begin(state, verifying: mode, at: moment))
    }

    mutating func advance(_ event: ScriptedEvent) -> String {
        let event = action.map { event.answering($0) }
        return describe(session.advance(event ?? .waited, at: moment))
    }

    mutating func describe(_ action: SyncSession.Action) -> String {
        self.action = action
        switch action {
        case .send(let step, let body):
            self.body = body
            return step.description
        case .store(let step): return step.description
        case .wait(let delay): return "wait \(Int((delay / .milliseconds(1)).rounded()))"
        case .finish(let ending):
            self.ending = ending
            return Self.describe(ending)
        }
    }

    static func describe(_ ending: SyncSession.Ending) -> String {
        switch ending {
        case .failed(let error): "failed \(error.code.rawValue)"
        case .done(let outcome):
            if let blocked = outcome.blockedBy {
                "blocked \(blocked.code.rawValue)"
            } else {
                outcome.isCaughtUp ? "caught up" : "behind"
            }
        }
    }
}

// MARK: - What stores and zones say

extension SessionScript {
    static func state(
        cursor: LogCursor? = cursor(0), lastSequence: UInt64 = 0, pending: Int = 0,
        epochs: Set<EpochID> = [epoch], hasRecordsToRepair: Bool = false,
        staged: StagedSnapshot? = nil,
        wantsSnapshot: Bool = false
    ) -> SyncState {
        SyncState(
            replica: me, cursor: cursor,
            last: lastSequence == 0 ? nil : (lastSequence, sets(lastSequence)[0].origin),
            hasPending: pending > 0, epochs: epochs, hasRecordsToRepair: hasRecordsToRepair,
            wantsSnapshot: wantsSnapshot,
            staged: staged)
    }

    /// A store that wants a snapshot and has all chunks of one.
    static func whole(at position: UInt64) -> SyncState {
        let staged = StagedSnapshot(
            cursor: cursor(position), digest: .zero, chunkCount: 2, held: 2)
        return state(staged: staged, wantsSnapshot: true)
    }

    /// The cursor after the first change sets of ``sets(_:by:)`` of the other replica.
    static func cursor(_ position: UInt64) -> LogCursor {
        sets(position, by: other).reduce(LogCursor(startOf: epoch)) { $0.advanced(over: $1) }
    }

    /// Returns the first saves of a replica.
    static func sets(_ count: UInt64, by replica: ReplicaID = me) -> [ChangeSet] {
        var origin = Digest.zero
        return (0..<count).map { index in
            let set = ChangeSet(
                saving: ChangePayload(blocks: []).encoded(author: replica),
                dot: Dot(replica: replica, sequence: index + 1),
                timestamp: HybridTimestamp(wallMilliseconds: Int64(index)),
                previousOrigin: origin, context: .empty)
            origin = set.origin
            return set
        }
    }

    static func pending(_ count: UInt64) -> [StoredLogEntry] {
        sets(count).enumerated().map {
            StoredLogEntry(localPosition: Int64($0.offset + 1), place: nil, changeSet: $0.element)
        }
    }

    static func greeting(
        epoch: EpochID = epoch, earlier: [EpochID] = [], head: UInt64 = 0, knowsCursor: Bool = true,
        lastSequence: UInt64 = 0, start: UInt64 = 0
    ) -> ScriptedEvent {
        .received(
            HelloResponse(
                epoch: epoch, earlierEpochs: earlier, headPosition: head, startPosition: start,
                isCursorKnown: knowsCursor,
                lastSequence: lastSequence, origin: nil, wallMilliseconds: 5_000,
                largestBody: 1 << 20
            ).encoded())
    }

    /// Returns the first of several chunks of a snapshot.
    static func chunk(at position: UInt64, head: UInt64) -> ScriptedEvent {
        .received(
            SnapshotResponse(
                snapshot: SnapshotName(cursor: cursor(position), digest: .zero), chunkCount: 2,
                headPosition: head, wallMilliseconds: 5_000, chunk: [1]
            ).encoded())
    }

    /// Returns the other replica's change sets between two positions.
    static func page(
        from start: UInt64 = 0, to end: UInt64, head: UInt64? = nil
    ) -> ScriptedEvent {
        .received(
            PullResponse(
                cursor: cursor(end), headPosition: head ?? end, wallMilliseconds: 5_000,
                changeSets: sets(end, by: other).dropFirst(Int(start)).map { $0.encoded() }
            ).encoded())
    }

    static func taken(
        _ count: UInt64, refusal: ProtocolError.Code? = nil, head: UInt64? = nil
    ) -> ScriptedEvent {
        let acknowledgements = sets(count).enumerated().map { index, set in
            PushResponse.Acknowledgement(
                position: UInt64(index + 1), dot: set.dot, timestamp: set.timestamp,
                digest: set.digest)
        }
        return .received(
            PushResponse(
                acknowledging: acknowledgements, of: sets(count).map { .init($0) },
                refusal: refusal.map { ProtocolError($0, "No.") }, headPosition: head ?? count,
                wallMilliseconds: 5_000
            ).encoded())
    }

    static func refused(_ code: ProtocolError.Code) -> ScriptedEvent {
        .refused(ProtocolError(code, "No."), retryAfter: nil)
    }
}
