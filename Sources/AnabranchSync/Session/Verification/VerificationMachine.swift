package import AnabranchProtocol
package import AnabranchReplication
package import AnabranchStore

/// Compares the store's state with the zone's, if that was requested.
///
/// Both are compared when they are at one position and the store has nothing unpushed.
package struct VerificationMachine: SessionMachine {
    package static let name = MachineName.verification
    package static var place: WritableKeyPath<SyncSession.Machines, Self> { \.verification }

    /// The progress of the comparison, or `nil` if none was requested.
    var progress: VerificationProgress?

    package mutating func begin(_ exchange: inout Exchange, at input: StepInput) -> Move {
        guard var progress, progress.ending == nil, exchange.zone != nil else {
            return .leave(.isOver)
        }
        guard exchange.outcome.blockedBy == nil else {
            return end(.inconclusive(.blocked), &exchange)
        }
        if let answer = progress.answer { return compare(answer, &exchange) }
        guard progress.requests < exchange.limits.verificationRequests else {
            return end(.inconclusive(.endless), &exchange)
        }
        progress.requests += 1
        self.progress = progress
        let ranges = Array((progress.ranges ?? []).suffix(SyncProtocol.maximumRanges).reversed())
        return .send(
            RequestingChecksums(ranges: ranges),
            ChecksumsRequest(epoch: exchange.epoch, ranges: ranges))
    }

    /// Compares the answer with the store, which must be exactly at the answer's position.
    fileprivate mutating func compare(
        _ answer: VerificationProgress.Answer, _ exchange: inout Exchange
    ) -> Move {
        guard let cursor = exchange.state.cursor else { return .leave(.isOver) }
        guard cursor.position >= answer.position else { return .leave(.needsPull) }
        guard cursor.position == answer.position else { return miss(&exchange) }
        return .store(
            ComparingRanges(
                ranges: answer.ranges,
                place: CausalContext.Prefix(epoch: cursor.epoch, position: cursor.position)))
    }

    /// Exchanges everything again and repeats the request, because this store or another replica
    /// has saved meanwhile.
    fileprivate mutating func miss(_ exchange: inout Exchange) -> Move {
        progress?.answer = nil
        progress?.misses += 1
        guard progress?.misses ?? 0 < exchange.limits.verificationMisses else {
            return end(.inconclusive(.busy), &exchange)
        }
        return .leave(.hasMissed)
    }

    fileprivate mutating func end(
        _ ending: VerificationProgress.Ending, _ exchange: inout Exchange
    ) -> Move {
        progress?.ending = ending
        progress?.answer = nil
        exchange.outcome.verification = progress
        return .leave(.isOver)
    }
}

// MARK: - Differences

extension VerificationMachine {
    /// Continues after ranges were compared: with the smaller ranges that differ, or with the
    /// records that differ.
    fileprivate mutating func found(
        _ comparison: StateComparison, of answered: [ComparedRange], _ exchange: inout Exchange,
        at input: StepInput
    ) -> Move {
        guard var progress else { return .leave(.isOver) }
        progress.answer = nil
        progress.misses = 0
        guard var ranges = progress.ranges else {
            self.progress = progress
            return comparedWhole(comparison, &exchange, at: input)
        }
        ranges.removeLast(min(answered.count, ranges.count))
        ranges += comparison.ranges.reversed()
        progress.ranges = ranges
        progress.add(comparison.records)
        self.progress = progress
        guard progress.mode == .repairing, !comparison.records.isEmpty else {
            return goOn(&exchange, at: input)
        }
        return .store(QueueingRepairs(records: comparison.records.map(\.record)))
    }

    /// Ends the comparison if the whole states are equal, otherwise begins a round.
    private mutating func comparedWhole(
        _ comparison: StateComparison, _ exchange: inout Exchange, at input: StepInput
    ) -> Move {
        guard var progress else { return .leave(.isOver) }
        guard !comparison.isEqual else { return end(.equal, &exchange) }
        if progress.rounds > 0, !progress.hasFound {
            // No range differs, so the zone's checksum does not match its records.
            return end(.inconclusive(.zoneInconsistent), &exchange)
        }
        guard progress.rounds < exchange.limits.verificationRounds else {
            return end(.inconclusive(.notRepaired), &exchange)
        }
        progress.orphanedRowCount = max(progress.orphanedRowCount, comparison.orphanedRowCount)
        progress.rounds += 1
        progress.hasFound = comparison.orphanedRowCount > 0
        progress.ranges = comparison.ranges
        self.progress = progress
        guard comparison.orphanedRowCount > 0, progress.mode == .repairing else {
            return goOn(&exchange, at: input)
        }
        return .store(QueueingRepairs(records: []))
    }

    /// Continues with the next ranges, or reports the differences after the last one.
    fileprivate mutating func goOn(_ exchange: inout Exchange, at input: StepInput) -> Move {
        guard let progress else { return .leave(.isOver) }
        guard progress.ranges?.isEmpty ?? true else {
            // Differences are repaired first: nothing is compared while records wait for repair.
            return exchange.state.hasRecordsToRepair
                ? .leave(.needsRepair) : begin(&exchange, at: input)
        }
        if progress.mode == .reporting, progress.hasFound { return end(.differing, &exchange) }
        self.progress?.ranges = nil
        return .leave(.needsRepair)
    }
}

// MARK: - Steps

/// Asks the zone for the checksums of ranges, or for that of its whole state if there are none.
package struct RequestingChecksums: RequestStep {
    package static let endpoint = SyncEndpoint.checksums
    let ranges: [RecordRange]

    package func next(
        _ response: ChecksumsResponse, _ machine: inout VerificationMachine,
        _ exchange: inout Exchange, at input: StepInput
    ) throws(ProtocolError) -> VerificationMachine.Move {
        let summaries = response.summaries
        guard summaries.count <= ranges.count, ranges.isEmpty || !summaries.isEmpty,
            zip(ranges, summaries).allSatisfy({ $1.fits($0) })
        else {
            throw ProtocolError(
                .malformedRequest,
                "Can't read the checksums because they are not of the requested ranges.")
        }
        exchange.learn(head: response.position, clock: response.wallMilliseconds, at: input)
        let whole = ComparedRange(
            range: .all, summary: .parts([.init(upper: nil, checksum: response.checksum)]))
        let parts = zip(ranges, summaries).map { ComparedRange(range: $0, summary: $1) }
        let answer = VerificationProgress.Answer(
            position: response.position, ranges: ranges.isEmpty ? [whole] : parts)
        machine.progress?.checksum = response.checksum
        machine.progress?.answer = answer
        return machine.compare(answer, &exchange)
    }
}

/// The store compares ranges of the zone's state with its own.
package struct ComparingRanges: StoreStep {
    let ranges: [ComparedRange]
    let place: CausalContext.Prefix
    package var description: String { "compare \(ranges.count) at \(place.position)" }

    package func perform(on side: StoreExecutor) throws -> ComparisonAnswer {
        try side.unlessCursorMoved {
            .compared(try $0.compare(ranges.map { ($0.range, $0.summary) }, at: place))
        } orElse: {
            .cursorMoved($0)
        }
    }

    package func next(
        _ answer: ComparisonAnswer, _ machine: inout VerificationMachine,
        _ exchange: inout Exchange, at input: StepInput
    ) -> VerificationMachine.Move {
        switch answer {
        case .compared(let comparison):
            exchange.failures = 0
            return machine.found(comparison, of: ranges, &exchange, at: input)
        case .cursorMoved(let state):
            exchange.state = state
            return machine.miss(&exchange)
        }
    }
}

/// The store records that records wait for repair, because they differ.
package struct QueueingRepairs: StoreStep {
    package let records: [RecordID]
    package var description: String { "queue \(records.count)" }

    package func perform(on side: StoreExecutor) throws -> SyncState {
        try side.state { try $0.queueForRepair(records) }
    }

    package func next(
        _ state: SyncState, _ machine: inout VerificationMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> VerificationMachine.Move {
        exchange.state = state
        return machine.goOn(&exchange, at: input)
    }
}
