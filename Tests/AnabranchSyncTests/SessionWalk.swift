import AnabranchProtocol
import AnabranchReplication
import AnabranchStore
import TestSupport

@testable import AnabranchSync

/// A session that gets random answers and refusals, and meets failures.
///
/// It records the ways that the session takes, in the form of the drawing in Architecture.md.
struct SessionWalk {
    typealias Script = SessionScript

    /// Indicates whether zone and store refuse and fail only with codes that suit the step.
    private let isHonest: Bool
    /// Indicates whether the store mostly has nothing to repair and needs no snapshot.
    private let isCalm: Bool
    /// The ways between steps of one machine, and between machines, as lines of the drawing.
    private(set) var ways: Set<SessionWay> = []
    private var random: SeededGenerator
    private var session: SyncSession
    /// The epoch that the zone has, and the head of its log.
    private var epoch = Script.epoch
    private var head: UInt64 = 0
    private var state = Script.state()
    private var milliseconds: Int64 = 1_000

    init(seed: UInt64, isHonest: Bool) {
        self.isHonest = isHonest
        random = SeededGenerator(seed: seed)
        isCalm = random.oneIn(2)
        var limits = SessionLimits()
        limits.transactionBytes = 1
        limits.mayChangeLog = random.oneIn(8)
        let zone = ZoneState(
            epoch: Script.epoch, largestBody: 1 << 20, clockOffsetMilliseconds: 0)
        session = SyncSession(limits: limits, zone: random.oneIn(2) ? zone : nil)
    }

    /// Walks through one exchange, for at most so many steps.
    mutating func walk(steps: Int) {
        head = random.number(below: 6)
        changeState()
        let modes: [VerificationMode?] = [nil, .reporting, .repairing]
        var action = session.begin(
            state, verifying: modes[Int(random.number(below: 3))], at: input())
        record(from: nil, to: action)
        for _ in 0..<steps {
            if case .finish = action { return }
            let before = action
            action = session.advance(answer(to: action), at: input())
            record(from: before, to: action)
        }
    }

    private mutating func input() -> StepInput {
        milliseconds += 10
        return StepInput(wallMilliseconds: milliseconds, draw: random.next())
    }
}

// MARK: - Ways

/// A line of the drawing: from a step to a step of the same machine, or from a machine to another.
struct SessionWay: Hashable, Comparable, CustomStringConvertible {
    /// The beginning or the end of a machine, or of the whole.
    static let outside = "[*]"
    /// The name of the machine that has both steps; empty for ways between machines.
    var machine = ""
    var from: String
    var to: String

    var description: String { "\(machine): \(from) --> \(to)" }

    static func < (one: Self, other: Self) -> Bool { one.description < other.description }
}

extension SessionWalk {
    private mutating func record(from before: SyncSession.Action?, to after: SyncSession.Action) {
        let path = session.path
        guard let last = path.last else { return }
        if before == nil { add(SessionWay.outside, path[0].rawValue) }
        let isWithin = before != nil && path.count == 1
        for (from, to) in zip(path, path.dropFirst()) where from != to {
            add(from.rawValue, to.rawValue)
        }
        switch after.step {
        case let step?:
            // A machine that follows itself begins anew.
            let isAnew = path.count == 2 && path[0] == path[1]
            let from = isWithin || isAnew ? before?.step : SessionWay.outside
            if let from { ways.insert(SessionWay(machine: last.rawValue, from: from, to: step)) }
        case nil:
            guard case .finish(.done) = after else { return }
            add(last.rawValue, SessionWay.outside)
        }
    }

    private mutating func add(_ from: String, _ to: String) {
        ways.insert(SessionWay(from: from, to: to))
    }
}

extension SyncSession.Action {
    /// The name of the step that waits for the answer.
    fileprivate var step: String? {
        switch self {
        case .send(let step, _): String(describing: type(of: step))
        case .store(let step): String(describing: type(of: step))
        case .wait, .finish: nil
        }
    }
}

// MARK: - Answers

extension SessionWalk {
    private mutating func answer(to action: SyncSession.Action) -> SyncSession.Event {
        switch action {
        case .send(let step, let body):
            if random.oneIn(isCalm ? 15 : 5) {
                return .refused(
                    refusal(of: step), retryAfter: random.oneIn(3) ? .seconds(1) : nil)
            }
            if random.oneIn(12) { return failure(of: [.unreachable, .timedOut, .damagedResponse]) }
            return step.received(random.oneIn(20) ? [1, 2, 3] : response(to: step, body))
        case .store(let step):
            guard random.oneIn(10) else { return answer(of: step) }
            let isPage = step is ApplyingPage || !isHonest
            return failure(
                of: isPage
                    ? [.storeBusy, .forked, .damagedResponse, .clockSkew] : [.storeBusy])
        case .wait, .finish: return .waited
        }
    }

    private mutating func failure(of codes: [SyncError.Code]) -> SyncSession.Event {
        .failed(SyncError(random.element(of: codes), "It failed."))
    }

    private static let allRefusals: [ProtocolError.Code] = [
        .unknownCursor, .unknownEpoch, .snapshotRequired, .unknownSnapshot, .repairTooLarge,
        .recordTooLarge,
        .overloaded, .forked, .sequenceGap, .missingCauses, .missingParts, .clockSkew, .timeOrder,
        .bodyTooLarge, .quotaExceeded, .malformedRequest,
    ]

    /// A refusal with the details that a zone sends.
    private mutating func refusal(of step: any RequestStep) -> ProtocolError {
        let codes: [ProtocolError.Code]
        switch step {
        case _ where !isHonest: codes = Self.allRefusals
        case is Pushing:
            codes = [
                .unknownEpoch, .overloaded, .forked, .sequenceGap, .missingCauses, .missingParts,
                .clockSkew, .timeOrder, .bodyTooLarge, .quotaExceeded,
            ]
        case is Pulling: codes = [.unknownCursor, .snapshotRequired, .overloaded]
        case is RequestingChunk: codes = [.unknownSnapshot, .overloaded]
        case is RequestingImages: codes = [.unknownEpoch, .repairTooLarge, .overloaded]
        case is RequestingChecksums: codes = [.unknownEpoch, .overloaded]
        case is SendingPiece: codes = [.bodyTooLarge, .overloaded]
        default: codes = [.overloaded]
        }
        let next = 1 + random.number(below: 3)
        return ProtocolError(
            random.element(of: codes), "No.",
            details: [
                "replica": "\(Script.other)", "sequence": "\(next)", "refused": "\(next + 2)",
                "causeReplica": "\(Script.other)", "causeNext": "\(next)",
                "causeSequence": "\(next + 1)", "predecessorTime": "\(next)", "part": "0",
                "held": "\(random.number(below: 4))",
            ])
    }

    private mutating func response(to step: any RequestStep, _ body: [UInt8]) -> [UInt8] {
        let here = state.cursor?.position ?? 0
        switch step {
        case is Greeting, is AskingAboutCursor:
            if random.oneIn(isCalm ? 20 : 6) {
                epoch = EpochID(high: 0xE, low: random.number(below: 3))
            }
            return HelloResponse(
                epoch: epoch,
                earlierEpochs: random.oneIn(3) ? [EpochID(high: 0xE, low: 7)] : [],
                headPosition: head, startPosition: random.oneIn(4) ? head : 0,
                isCursorKnown: !random.oneIn(3), lastSequence: random.number(below: 3),
                origin: nil, wallMilliseconds: milliseconds,
                // A save in parts is larger than the smallest.
                largestBody: random.oneIn(4) ? 220 : 1 << 20
            ).encoded()
        case is Pulling:
            let end = here + random.number(below: 3)
            head = max(head, end)
            if isCalm { head = end }
            let sets = Script.sets(end, by: Script.other).dropFirst(Int(here))
            return PullResponse(
                cursor: cursor(end), headPosition: sets.isEmpty ? end : head,
                wallMilliseconds: milliseconds, changeSets: sets.map { $0.encoded() }
            ).encoded()
        case let step as FetchingPart:
            let count = step.part.part.byteCount - step.part.heldBytes
            return PartResponse(bytes: [UInt8](repeating: 1, count: count)).encoded()
        case let step as Pushing: return pushResponse(to: step)
        case let step as SendingPiece:
            let held = random.oneIn(2) ? step.piece.part.byteCount : step.piece.start + 1
            return StageResponse(heldBytes: UInt64(held)).encoded()
        case is RequestingChunk:
            return SnapshotResponse(
                snapshot: SnapshotName(cursor: cursor(here + 1), digest: .zero), chunkCount: 2,
                headPosition: here + 2, wallMilliseconds: milliseconds, chunk: [1]
            ).encoded()
        case let step as RequestingImages:
            return RepairResponse(
                position: here + random.number(below: 2), wallMilliseconds: milliseconds,
                images: step.records.map { RecordImage(id: $0) }
            ).encoded()
        case let step as RequestingChecksums:
            let sum = StateChecksum(ofRow: [1])
            return ChecksumsResponse(
                position: here + (random.oneIn(8) ? 1 : 0), wallMilliseconds: milliseconds,
                checksum: sum,
                summaries: step.ranges.map { _ in .records([]) }
            ).encoded()
        default: return body
        }
    }

    private mutating func pushResponse(to step: Pushing) -> [UInt8] {
        let batch = step.batch
        let count = random.oneIn(3) ? batch.count : Int(random.number(below: UInt64(batch.count)))
        let isOther = random.oneIn(4)
        let taken = batch.prefix(count).enumerated().map { index, entry in
            PushResponse.Acknowledgement(
                position: head + UInt64(index + 1), dot: entry.changeSet.dot,
                timestamp: entry.changeSet.timestamp,
                digest: isOther ? Digest(of: [1]) : entry.changeSet.digest)
        }
        let refusal = refusal(of: step)
        return PushResponse(
            acknowledging: taken, of: batch.map { .init($0.changeSet) },
            refusal: count < batch.count ? refusal : nil,
            headPosition: head, wallMilliseconds: milliseconds
        ).encoded()
    }

    private mutating func answer(of step: any StoreStep) -> SyncSession.Event {
        let before = state
        switch step {
        case let step as ApplyingPage:
            if random.oneIn(6) {
                return step.answered(.lacking(LackingPart(part: Self.part, heldBytes: 1)))
            }
            changeState(cursor: step.page.cursor)
            return step.answered(random.oneIn(8) ? .cursorMoved(before) : .applied(state))
        case let step as KeepingPart: return step.answered(())
        case let step as RenewingIdentity: return step.answered(())
        case let step as Restamping: return step.answered(())
        case let step as RecordingEpochs:
            changeState(epochs: step.epochs)
            return step.answered(state)
        case let step as LocatingCursor:
            return step.answered(random.oneIn(4) ? nil : cursor(step.position))
        case let step as Rewinding:
            changeState(cursor: step.cursor)
            return step.answered(RewindAnswer(state: state, keptCopy: nil))
        case let step as LoadingPending:
            let sets = random.oneIn(isCalm ? 3 : 2) ? pending() : []
            changeState(cursor: state.cursor)
            return step.answered(PendingAnswer(sets: sets, state: state))
        case let step as LoadingPiece:
            return step.answered(
                random.oneIn(6)
                    ? nil
                    : PartPiece(
                        part: Self.part, number: step.number, start: min(step.start, 3), bytes: [1])
            )
        case let step as Supplying: return step.answered(random.oneIn(3) ? [] : pending())
        case let step as LoadingRecordsToRepair:
            return step.answered(
                random.oneIn(4) ? [] : [RecordID(replica: Script.other, number: 1)])
        case let step as ComparingRanges:
            return step.answered(
                random.oneIn(5) ? .cursorMoved(before) : .compared(comparison()))
        default: return changedState(by: step)
        }
    }

    /// Answers of steps that change the store and report its new state.
    private mutating func changedState(by step: any StoreStep) -> SyncSession.Event {
        changeState(cursor: state.cursor)
        switch step {
        case let step as Acknowledging: return step.answered(state)
        case let step as RenamingBranch: return step.answered(random.oneIn(2) ? nil : state)
        case let step as Dividing: return step.answered(random.oneIn(2) ? nil : state)
        case let step as RaisingTimes: return step.answered(random.oneIn(2) ? nil : state)
        case let step as TakingForms: return step.answered(random.oneIn(2) ? nil : state)
        case let step as WantingSnapshot: return step.answered(state)
        case let step as StagingChunk: return step.answered(state)
        case let step as QueueingRepairs: return step.answered(state)
        case let step as RepairingRecords:
            return step.answered(random.oneIn(4) ? .cursorMoved(state) : .applied(state))
        case let step as LoadingSnapshot:
            if random.oneIn(2) { changeState(cursor: cursor((state.cursor?.position ?? 0) + 1)) }
            return step.answered(.applied(state))
        default: return .failed(SyncError(.storeFailed, "The walk does not know \(step)."))
        }
    }
}

// MARK: - Contents

extension SessionWalk {
    private static let part = SavePart(of: [1, 2, 3, 4])

    /// The cursor of the zone's log at a position.
    private func cursor(_ position: UInt64) -> LogCursor {
        Script.cursor(position).inEpoch(epoch)
    }

    private mutating func pending() -> [StoredLogEntry] {
        var entries = Script.pending(1 + random.number(below: 2))
        guard random.oneIn(3) else { return entries }
        let whole = entries[0].changeSet
        entries[0] = StoredLogEntry(
            localPosition: 1, place: nil,
            changeSet: ChangeSet(
                saving: PartList([Self.part, Self.part]).encoded(), as: .saveInParts,
                dot: whole.dot, timestamp: whole.timestamp,
                previousOrigin: whole.previousOrigin, context: .empty))
        return entries
    }

    private mutating func comparison() -> StateComparison {
        var comparison = StateComparison()
        if random.oneIn(2) { comparison.ranges = [.all] }
        if random.oneIn(3) {
            let record = RecordID(replica: Script.other, number: 1)
            comparison.records = [RecordDifference(record: record, kind: .changed)]
        }
        return comparison
    }

    private mutating func changeState() {
        let position = random.number(below: 4)
        changeState(cursor: random.oneIn(5) ? nil : cursor(position))
    }

    /// Gives the store a state in which anything may wait to be done.
    private mutating func changeState(cursor: LogCursor?, epochs: [EpochID] = []) {
        let staged = StagedSnapshot(
            cursor: self.cursor((cursor?.position ?? 0) + 1), digest: .zero, chunkCount: 2,
            held: 1 + random.number(below: 2))
        state = SyncState(
            replica: Script.me, cursor: cursor, last: nil, hasPending: random.oneIn(isCalm ? 8 : 2),
            epochs: Set(epochs + (random.oneIn(isCalm ? 12 : 3) ? [] : [epoch])),
            hasRecordsToRepair: random.oneIn(isCalm ? 12 : 3),
            start: random.oneIn(isCalm ? 12 : 3) ? Script.cursor(1) : nil,
            wantsSnapshot: random.oneIn(isCalm ? 30 : 5), staged: random.oneIn(2) ? staged : nil,
            epochsAhead: random.oneIn(8) ? [EpochID(high: 9, low: 9)] : [])
    }

    private mutating func changeState(epochs: [EpochID]) {
        changeState(cursor: state.cursor, epochs: epochs)
    }
}

extension SeededGenerator {
    fileprivate mutating func number(below limit: UInt64) -> UInt64 {
        UInt64.random(in: 0..<limit, using: &self)
    }
}
