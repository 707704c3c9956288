internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

// Store and zone are compared when both are at one position and the store has nothing unpushed.
extension SyncSession {
    /// Continues the comparison if one was requested; otherwise ends the exchange.
    mutating func verify(at input: StepInput) -> Action {
        guard let progress = exchange.verification, progress.ending == nil, let zone else {
            return conclude()
        }
        guard exchange.outcome.blockedBy == nil else { return inconclusive(.blocked) }
        if progress.answer != nil { return compare(at: input) }
        guard progress.requests < limits.verificationRequests else { return inconclusive(.endless) }
        exchange.verification?.requests += 1
        let ranges = Array((progress.ranges ?? []).suffix(SyncProtocol.maximumRanges).reversed())
        phase = .askingChecksums(ranges)
        let request = ChecksumsRequest(epoch: zone.epoch, ranges: ranges)
        return send(.checksums, request.encoded(), at: input)
    }

    /// Checks the received checksums, and compares them with the store.
    mutating func receivedChecksums(
        of ranges: [RecordRange], _ body: [UInt8], at input: StepInput
    ) -> Action {
        let response: ChecksumsResponse
        do {
            response = try ChecksumsResponse(decoding: body)
            try check(response, answers: ranges)
        } catch {
            return damaged(error, at: input)
        }
        exchange.failures = 0
        exchange.headPosition = max(exchange.headPosition, response.position)
        learn(clockOf: response.wallMilliseconds, at: input)
        exchange.verification?.checksum = response.checksum
        let whole = ComparedRange(
            range: .all,
            summary: .parts([.init(upper: nil, checksum: response.checksum)]))
        let parts = zip(ranges, response.summaries).map {
            ComparedRange(range: $0, summary: $1)
        }
        exchange.verification?.answer = (response.position, ranges.isEmpty ? [whole] : parts)
        return compare(at: input)
    }

    private func check(
        _ response: ChecksumsResponse, answers ranges: [RecordRange]
    ) throws(ProtocolError) {
        let summaries = response.summaries
        guard summaries.count <= ranges.count, ranges.isEmpty || !summaries.isEmpty,
            zip(ranges, summaries).allSatisfy({ $1.fits($0) })
        else {
            throw ProtocolError(
                .malformedRequest,
                "Can't read the checksums because they are not of the requested ranges.")
        }
    }

    /// Compares the answer with the store, which must be exactly at the answer's position.
    private mutating func compare(at input: StepInput) -> Action {
        guard let answer = exchange.verification?.answer, let cursor = exchange.state.cursor else {
            return conclude()
        }
        guard cursor.position >= answer.position else { return pull(at: input) }
        guard cursor.position == answer.position else { return missed(exchange.state, at: input) }
        phase = .comparing
        return .store(
            .compare(
                answer.compared,
                at: CausalContext.Prefix(epoch: cursor.epoch, position: cursor.position)))
    }

    /// Exchanges again and repeats the request, because this store or another replica has saved
    /// meanwhile.
    mutating func missed(_ state: SyncState, at input: StepInput) -> Action {
        exchange.state = state
        exchange.verification?.answer = nil
        exchange.verification?.misses += 1
        guard exchange.verification?.misses ?? 0 < limits.verificationMisses else {
            return inconclusive(.busy)
        }
        exchange.isPushOver = false
        exchange.rounds = 0
        return pull(at: input)
    }

    /// Continues with the ranges that differ, and records the records that differ for repair.
    mutating func compared(_ comparison: StateComparison, at input: StepInput) -> Action {
        guard var progress = exchange.verification else { return conclude() }
        let answered = progress.answer?.compared.count ?? 0
        progress.answer = nil
        progress.misses = 0
        guard var ranges = progress.ranges else {
            exchange.verification = progress
            return comparedWhole(comparison, at: input)
        }
        ranges.removeLast(min(answered, ranges.count))
        ranges += comparison.ranges.reversed()
        progress.ranges = ranges
        progress.add(comparison.records)
        exchange.verification = progress
        guard progress.mode == .repairing, !comparison.records.isEmpty else {
            return goOnVerifying(at: input)
        }
        phase = .queueingRepairs
        return .store(.queueForRepair(comparison.records.map(\.record)))
    }

    private mutating func comparedWhole(
        _ comparison: StateComparison, at input: StepInput
    ) -> Action {
        guard var progress = exchange.verification else { return conclude() }
        guard !comparison.isEqual else { return endVerification(.equal) }
        if progress.rounds > 0, !progress.hasFound {
            // No range differs, so the zone's checksum does not match its records.
            return inconclusive(.zoneInconsistent)
        }
        guard progress.rounds < limits.verificationRounds else {
            return inconclusive(.notRepaired)
        }
        progress.orphanedRowCount = max(progress.orphanedRowCount, comparison.orphanedRowCount)
        progress.rounds += 1
        progress.hasFound = comparison.orphanedRowCount > 0
        progress.ranges = comparison.ranges
        exchange.verification = progress
        guard comparison.orphanedRowCount > 0, progress.mode == .repairing else {
            return goOnVerifying(at: input)
        }
        phase = .queueingRepairs
        return .store(.queueForRepair([]))
    }

    /// Continues after the records that differ were recorded.
    mutating func didQueueForRepair(_ state: SyncState, at input: StepInput) -> Action {
        exchange.state = state
        return goOnVerifying(at: input)
    }

    /// Continues with the next ranges, or reports the differences after the last one.
    private mutating func goOnVerifying(at input: StepInput) -> Action {
        guard let progress = exchange.verification else { return conclude() }
        guard progress.ranges?.isEmpty ?? true else {
            // Differences are repaired first: nothing is compared while records wait for repair.
            return exchange.state.hasRecordsToRepair
                ? requestRepairs(at: input) : verify(at: input)
        }
        if progress.mode == .reporting, progress.hasFound { return endVerification(.differing) }
        exchange.verification?.ranges = nil
        return requestRepairs(at: input)
    }

    private mutating func inconclusive(_ obstacle: VerificationObstacle) -> Action {
        endVerification(.inconclusive(obstacle))
    }

    private mutating func endVerification(_ ending: VerificationProgress.Ending) -> Action {
        exchange.verification?.ending = ending
        exchange.verification?.answer = nil
        exchange.outcome.verification = exchange.verification
        return conclude()
    }
}
