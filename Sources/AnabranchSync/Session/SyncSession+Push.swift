internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

extension SyncSession {
    /// Loads unpushed change sets from the store.
    mutating func load() -> Action {
        phase = .loading
        return .store(.loadPending(byteLimit: batchBytes))
    }

    /// The number of bytes of change sets that fit into a push beside the other fields of the
    /// request.
    var batchBytes: Int {
        let room = (zone?.largestBody ?? SyncProtocol.largestBody) - Self.requestOverhead
        return max(min(exchange.byteLimit, limits.batchBytes, room), 1)
    }

    /// The bytes for version, epoch, count and seal, with a reserve.
    private static let requestOverhead = 64
    /// The bytes for the length before each change set, with a reserve.
    private static let lengthPrefix = 5

    /// Pushes the loaded change sets, or ends the push if there are none.
    mutating func loaded(
        _ sets: [StoredLogEntry], _ state: SyncState, at input: StepInput
    ) -> Action {
        exchange.state = state
        guard !sets.isEmpty else {
            exchange.isPushOver = true
            return afterPush(at: input)
        }
        return push(sets, at: input)
    }

    /// Pushes the first change sets, as many as fit into one request.
    ///
    /// - Parameter sets: The unpushed change sets; not empty.
    mutating func push(_ sets: [StoredLogEntry], at input: StepInput) -> Action {
        let (batch, bodies) = batch(of: sets)
        guard !batch.isEmpty else {
            return stopPush(tooLarge(sets[0]), at: input)
        }
        phase = .pushing(batch)
        let state = exchange.state
        let epoch = zone?.epoch ?? state.cursor?.epoch ?? EpochID(high: 0, low: 0)
        let request = PushRequest(epoch: epoch, changeSets: bodies)
        return send(.push, request.encoded(), at: input)
    }

    /// The first change sets that fit together into one request. A change set beyond the batch's
    /// limit is sent alone if the server accepts it.
    private func batch(of sets: [StoredLogEntry]) -> ([StoredLogEntry], [[UInt8]]) {
        let room = (zone?.largestBody ?? SyncProtocol.largestBody) - Self.requestOverhead
        var batch: [StoredLogEntry] = []
        var bodies: [[UInt8]] = []
        var byteCount = 0
        for set in sets.prefix(limits.batchCount) {
            let body = set.changeSet.encoded()
            byteCount += body.count + Self.lengthPrefix
            guard byteCount <= (batch.isEmpty ? room : batchBytes) else { break }
            batch.append(set)
            bodies.append(body)
        }
        return (batch, bodies)
    }

    private func tooLarge(_ set: StoredLogEntry) -> SyncError {
        let limit = zone?.largestBody ?? SyncProtocol.largestBody
        return SyncError(
            .bodyTooLarge,
            "Can't push \(set.changeSet.dot) because it is larger than the \(limit) bytes that "
                + "the server accepts. Raise the server's limit.",
            details: ["dot": "\(set.changeSet.dot)", "limit": "\(limit)"])
    }

    /// Checks the answer to a push, and stores its acknowledgements.
    mutating func pushed(
        _ sets: [StoredLogEntry], _ body: [UInt8], at input: StepInput
    ) -> Action {
        let response: PushResponse
        do {
            response = try PushResponse(decoding: body)
            try check(response, answers: sets)
        } catch {
            return damaged(error, at: input)
        }
        learn(clockOf: response.wallMilliseconds, at: input)
        exchange.headPosition = max(exchange.headPosition, response.headPosition)
        exchange.refused =
            response.refusal == nil
            ? nil : sets.dropFirst(response.acknowledgements.count).first?.changeSet
        guard !response.acknowledgements.isEmpty else {
            guard let refusal = response.refusal else { return load() }
            return refused(refusal, at: input)
        }
        exchange.failures = 0
        exchange.partRefusals = 0
        exchange.partPlace = (-1, 0)
        // A set that was saved meanwhile may be ahead again: that is no round without progress.
        exchange.restamps = 0
        let rejected = response.acknowledgements.count { $0.rejection != nil }
        exchange.outcome.pushedChangeSets += response.acknowledgements.count - rejected
        let acknowledged = zip(sets, response.acknowledgements).map { set, taken in
            Acknowledged(
                set, position: taken.position, dot: taken.dot, timestamp: taken.timestamp,
                digest: taken.digest, rejection: taken.rejection)
        }
        exchange.otherForms = zip(sets, acknowledged).filter { set, taken in
            let form = set.changeSet.form(after: taken.rejection)
            return taken.digest != form.digest || taken.dot != form.dot
        }.map(\.1)
        if exchange.otherForms.count < acknowledged.count { exchange.rounds = 0 }
        phase = .acknowledging(refusal: response.refusal)
        let epoch = zone?.epoch ?? exchange.state.cursor?.epoch ?? EpochID(high: 0, low: 0)
        return .store(.acknowledge(acknowledged, epoch: epoch))
    }

    /// Checks that each acknowledgement belongs to the change set at its place. It has that change
    /// set's dot, or its origin if the log held the save under another dot.
    private func check(
        _ response: PushResponse, answers sets: [StoredLogEntry]
    ) throws(ProtocolError) {
        let taken = response.acknowledgements
        let isWhole = taken.count == sets.count || response.refusal != nil
        guard taken.count <= sets.count, isWhole else {
            throw ProtocolError(
                .malformedRequest,
                "Can't read the answer to a push of \(sets.count) change sets because it "
                    + "acknowledges \(taken.count).")
        }
        for (set, taken) in zip(sets, taken) where taken.dot != set.changeSet.dot {
            guard taken.originPrefix == set.changeSet.origin.prefix else {
                throw ProtocolError(
                    .malformedRequest,
                    "Can't read the answer to a push because it acknowledges \(taken.dot) in "
                        + "the place of \(set.changeSet.dot).")
            }
        }
    }

    /// Continues after the acknowledgements are stored.
    ///
    /// The zone's log may hold a pushed save under another dot, timestamp or digest. Then the store
    /// must adopt the log's form. Otherwise the refusal is handled, or the next change sets are
    /// loaded.
    mutating func acknowledged(
        _ refusal: ProtocolError?, at input: StepInput
    ) -> Action {
        if !exchange.otherForms.isEmpty { return replaceByZoneForm(at: input) }
        guard let refusal else { return load() }
        return refused(refusal, at: input)
    }

    /// Pulls, because the log has another form of a pushed change set. If the log no longer reaches
    /// that far, the store takes the form from the acknowledgement.
    private mutating func replaceByZoneForm(at input: StepInput) -> Action {
        exchange.rounds += 1
        if let action = takeForms() { return action }
        guard exchange.rounds < limits.rounds else { return stopPush(Self.otherForm, at: input) }
        return pull(at: input)
    }

    private mutating func refused(_ refusal: ProtocolError, at input: StepInput) -> Action {
        phase = .pushing([])
        return failed(SyncError(refusal), serverDelay: nil, at: input)
    }

    /// Ends the push with an error. The exchange continues.
    mutating func stopPush(_ error: SyncError, at input: StepInput) -> Action {
        exchange.outcome.blockedBy = error
        exchange.isPushOver = true
        exchange.failures = 0
        return afterPush(at: input)
    }

    private mutating func afterPush(at input: StepInput) -> Action {
        if exchange.needsSnapshot { return takeSnapshot(at: input) }
        if (exchange.state.cursor?.position ?? 0) < exchange.headPosition {
            return pull(at: input)
        }
        return requestRepairs(at: input)
    }
}
