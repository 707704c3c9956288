import AnabranchProtocol
import AnabranchReplication

/// One push request, decoded before the zone's write lock is taken.
struct PushJob: Sendable {
    let epoch: EpochID
    let origin: RequestOrigin?
    /// The number of change sets in the request.
    let requestedCount: Int
    /// The change sets before the first one that cannot be decoded.
    var changeSets: [IncomingChangeSet]
    let refusal: ProtocolError?
    /// The parts of the zone that the job reads.
    let needs: ZoneNeeds
    /// The memory that the request takes; `nil` for a caller in this process.
    let memory: RequestMemory?

    init(
        _ request: PushRequest, from origin: RequestOrigin? = nil, _ memory: RequestMemory? = nil,
        limits: ZoneLimits
    ) {
        epoch = request.epoch
        self.origin = origin
        self.memory = memory
        requestedCount = request.changeSets.count
        var taken: [IncomingChangeSet] = []
        taken.reserveCapacity(requestedCount)
        var needs = ZoneNeeds()
        var refusal: ProtocolError?
        let room = memory.map { DecodingRoom($0) }
        do throws(ProtocolError) {
            for bytes in request.changeSets {
                taken.append(
                    try IncomingChangeSet(
                        decoding: bytes, limits: limits,
                        checkingDigest: Mechanism.digestCheck.isOn, in: room,
                        adding: &needs))
            }
        } catch {
            refusal = error
        }
        changeSets = taken
        self.refusal = refusal
        self.needs = needs
    }
}

/// Checks, appends and merges pushed change sets within a write transaction.
struct PushProcessor: Sendable {
    let limits: ZoneLimits
    let wallMilliseconds: @Sendable () -> Int64
    let zone: ZoneName
    let validation: PushValidation?
    /// True if a save needs a verdict of the operator's hook.
    var needsVerdict = false
    let metrics: ServerMetrics
    /// Ends merges, which may work for long between two statements.
    var stop = StopSignal()

    /// Processes one push request.
    ///
    /// - Throws: Only failures of the storage; a refusal is in the response.
    func take(_ job: PushJob, into writer: ZoneDraft) throws -> PushOutcome {
        let now = wallMilliseconds()
        var log = writer.logState()
        guard job.epoch == log.head.epoch else {
            return PushOutcome(
                answer: PushAnswer(
                    acknowledgements: [], refusal: Self.unknownEpoch,
                    headPosition: log.head.position, wallMilliseconds: now))
        }
        let firstNew = log.head.position + 1
        var acknowledgements: [PushResponse.Acknowledgement] = []
        acknowledgements.reserveCapacity(job.changeSets.count)
        var refusal = job.refusal
        let check = QuotaCheck(
            writer.quotas(), orElse: limits.quotas, wallMilliseconds: now)
        let amount = writer.changedAmount
        var rest = job.changeSets[...]
        while let incoming = rest.first {
            guard writer.changedAmount - amount <= Self.mostChanged else {
                refusal = Self.isLong
                break
            }
            do {
                acknowledgements.append(
                    try take(incoming, into: writer, after: &log, now: now, check))
                rest.removeFirst()
            } catch let error as ProtocolError {
                let together = try takeTogether(
                    rest, after: error, into: writer, &log, now: now, check)
                acknowledgements += together
                rest.removeFirst(together.count)
                guard together.isEmpty else { continue }
                refusal = error
                break
            }
        }
        return PushOutcome(
            answer: PushAnswer(
                acknowledgements: acknowledgements,
                sent: job.changeSets.prefix(acknowledgements.count).map { .init($0.changeSet) },
                refusal: refusal,
                headPosition: log.head.position, wallMilliseconds: now),
            newPositions: firstNew..<log.head.position + 1)
    }

    /// Processes one change set.
    ///
    /// - Parameter quotas: `nil` for the zone's own entries, which need no room.
    func take(
        _ incoming: IncomingChangeSet, into writer: ZoneDraft, after log: inout LogState,
        now: Int64, _ quotas: QuotaCheck? = nil
    ) throws -> PushResponse.Acknowledgement {
        let changeSet = incoming.changeSet
        let check = PushCheck(
            writer: writer, log: log, limits: limits, wallMilliseconds: now)
        if case .held(let place) = try check.verdict(on: changeSet) {
            return try acknowledgement(of: changeSet, at: place, writer)
        }
        do {
            if let rejection = incoming.rejection { throw PushFailure.rejected(rejection) }
            let parts = try changeSet.parts()
            try ZoneParts(writer.stored).checkAll(of: changeSet, parts)
            try incoming.room?.reserve(forPartsOf: parts)
            if needsVerdict, let rejection = try incoming.rejectionByHook() {
                throw PushFailure.rejected(rejection)
            }
            if let rejection = try rejection(of: changeSet, writer.stored) {
                throw PushFailure.rejected(rejection)
            }
            return try append(
                changeSet, incoming.bytes, to: writer, after: &log, quotas,
                favouring: incoming.favouredQuotas, in: incoming.room)
        } catch PushFailure.rejected(let rejection) {
            let void = ChangeSet(voiding: changeSet, for: rejection)
            try writer.dropStaged(changeSet.parts())
            do {
                return try append(
                    void, void.encoded(), to: writer, after: &log, quotas,
                    favouring: [.bytes, .dailyBytes])
            } catch PushFailure.refused(let error) {
                throw error
            }
        } catch PushFailure.refused(let error) {
            throw error
        }
    }

    /// Applies the operator's rules; for a save in parts, to each part as a save.
    private func rejection(
        of changeSet: ChangeSet, _ reader: any ZoneReading
    ) throws -> SaveRejection? {
        guard let validation else { return nil }
        if changeSet.kind == .save { return try validation.rejection(changeSet, zone) }
        let parts = ZoneParts(reader)
        for part in try changeSet.parts() {
            let save = changeSet.part(saying: try parts.bytes(of: part))
            if let rejection = try validation.rejection(save, zone) { return rejection }
        }
        return nil
    }

    private func acknowledgement(
        of changeSet: ChangeSet, at place: ZoneLogLocation, _ writer: ZoneDraft
    ) throws -> PushResponse.Acknowledgement {
        var acknowledgement = PushResponse.Acknowledgement(
            position: place.position, dot: place.dot, timestamp: place.timestamp,
            digest: place.digest,
            originPrefix: place.dot == changeSet.dot ? nil : changeSet.origin.prefix)
        if place.kind == .void {
            let page = try writer.sent().changeSets(after: place.position - 1, byteLimit: 0)
            acknowledgement.rejection = try page.changeSets.first.flatMap {
                try ChangeSet(decoding: $0).rejection
            }
        }
        return acknowledgement
    }

    /// Appends a change set to the log and merges it.
    ///
    /// - Throws: ``PushFailure`` if the change set caused the failure; then nothing of it is kept.
    private func append(
        _ changeSet: ChangeSet, _ bytes: [UInt8], to writer: ZoneDraft,
        after log: inout LogState, _ quotas: QuotaCheck?,
        favouring favoured: Set<ZoneQuotas.Quantity>, in room: DecodingRoom? = nil
    ) throws -> PushResponse.Acknowledgement {
        let cursor = log.head.advanced(over: changeSet)
        do {
            try writer.atomically {
                let before = writer.use()
                try write(changeSet, bytes, at: cursor, to: writer, today: quotas?.today, in: room)
                let refusal = quotas?.refusal(
                    from: before, to: writer.use(), favouring: favoured,
                    of: "change set \(changeSet.dot)", details: changeSet.dot.details)
                if let refusal { throw PushFailure.refused(refusal) }
            }
        } catch let error as ChangeSetDecodingError {
            if let refusal = room?.refusal(of: error) { throw PushFailure.refused(refusal) }
            throw PushFailure.rejected(PushFailure.rejection(error, in: changeSet.dot))
        } catch let error as StorageError {
            throw PushFailure(error) ?? error
        }
        return advance(&log, to: cursor, by: changeSet)
    }

    /// Writes a change set, and counts it as pushed on a day.
    func write(
        _ changeSet: ChangeSet, _ bytes: [UInt8], at cursor: LogCursor,
        to writer: ZoneDraft, today: Int64?, in room: DecodingRoom? = nil
    ) throws {
        try writer.append(ZoneLogEntry(changeSet: changeSet, bytes: bytes, cursor: cursor))
        try writer.putInLog(changeSet.parts(), at: cursor.position)
        if changeSet.kind.isSave { try merge(changeSet, into: writer, in: room) }
        if let today { writer.countPushed(bytes.count, on: today) }
    }

    func advance(
        _ log: inout LogState, to cursor: LogCursor, by changeSet: ChangeSet
    ) -> PushResponse.Acknowledgement {
        log.head = cursor
        log.greatestTimestamp = max(log.greatestTimestamp, changeSet.timestamp)
        log.appended = ZoneLogLocation(
            position: cursor.position, kind: changeSet.kind, dot: changeSet.dot,
            timestamp: changeSet.timestamp, origin: changeSet.origin, digest: changeSet.digest)
        return PushResponse.Acknowledgement(
            position: cursor.position, dot: changeSet.dot, timestamp: changeSet.timestamp,
            digest: changeSet.digest, rejection: changeSet.rejection)
    }

    private func merge(
        _ changeSet: ChangeSet, into writer: ZoneDraft, in room: DecodingRoom?
    ) throws {
        let rows = room?.ofRows
        defer { rows?.release() }
        let lostCount = try StateMerger.merge(
            changeSet, ZoneParts(writer.stored), into: writer,
            recordBytes: limits.recordBytes, reserving: room?.reserve(byteCount:),
            reservingRows: { try rows?.need(byteCount: Self.bytesPerMergedByte * $0) },
            proceeding: stop.check, checking: IncomingChangeSet.checkIsKnown)
        if lostCount > 0 { metrics.conflicts.add(Double(lostCount)) }
    }

    /// The bytes that a merge needs for each byte of a row: as it is stored, as it is written, and
    /// as the storage passes it on.
    private static let bytesPerMergedByte = 3

    /// The amount of rows and links that the change sets of one request change, as
    /// ``ZoneDraft/changedAmount`` counts it: the work of about a second.
    ///
    /// Each change set is merged by itself, so many small ones that change one large record cost
    /// far more than their bytes. The others wait meanwhile, so the rest of such a push takes its
    /// turn again.
    static let mostChanged = 500_000

    private static let isLong = ProtocolError(
        .overloaded,
        "Can't take more of these change sets at once because they change large records: push the "
            + "others again.")

    private static let unknownEpoch = ProtocolError(
        .unknownEpoch, "Can't push to this log because it is of another epoch: say hello.")
}
