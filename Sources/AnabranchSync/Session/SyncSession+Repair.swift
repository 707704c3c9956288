internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

extension SyncSession {
    /// Requests the records that wait for repair. If there are none, compares the states if that
    /// was requested, and ends the exchange.
    mutating func requestRepairs(at input: StepInput) -> Action {
        if exchange.answer != nil { return useAnswer(at: input) }
        guard exchange.state.hasRecordsToRepair, zone != nil else { return verify(at: input) }
        phase = .loadingRepairQueue
        return .store(.loadRecordsToRepair(limit: SyncProtocol.maximumRepairs))
    }

    /// Requests the zone's state of these records.
    mutating func ask(_ records: [RecordID], at input: StepInput) -> Action {
        guard !records.isEmpty, let zone else { return verify(at: input) }
        phase = .asking(records)
        let request = RepairRequest(epoch: zone.epoch, records: records)
        return send(.repair, request.encoded(), at: input)
    }

    /// Checks the answer to a repair request, and uses it.
    mutating func answered(_ body: [UInt8], at input: StepInput) -> Action {
        guard case .asking(let records) = phase else { return verify(at: input) }
        let response: RepairResponse
        do {
            response = try RepairResponse(decoding: body)
            try check(response, answers: records)
        } catch {
            return damaged(error, at: input)
        }
        exchange.failures = 0
        exchange.answer = response
        exchange.headPosition = max(exchange.headPosition, response.position)
        learn(clockOf: response.wallMilliseconds, at: input)
        return useAnswer(at: input)
    }

    private func check(
        _ response: RepairResponse, answers records: [RecordID]
    ) throws(ProtocolError) {
        guard !response.images.isEmpty,
            response.images.map(\.id) == Array(records.prefix(response.images.count))
        else {
            throw ProtocolError(
                .malformedRequest,
                "Can't read the answer to a repair because it contains other records.")
        }
    }

    /// Repairs the records. The answer includes the log up to its position, so the store must have
    /// pulled up to there first.
    private mutating func useAnswer(at input: StepInput) -> Action {
        guard let answer = exchange.answer, let cursor = exchange.state.cursor else {
            return verify(at: input)
        }
        guard cursor.position >= answer.position else { return pull(at: input) }
        exchange.answer = nil
        phase = .repairing
        return .store(
            .repair(
                answer.images,
                at: CausalContext.Prefix(epoch: cursor.epoch, position: answer.position)))
    }

    /// Continues with the next records. If the store's cursor has changed, the records still wait
    /// for repair.
    mutating func repaired(_ state: SyncState, at input: StepInput) -> Action {
        exchange.state = state
        return requestRepairs(at: input)
    }

    /// Takes a snapshot, because a record is larger than an answer may be. A snapshot contains it
    /// in pieces and repairs all records.
    mutating func wantSnapshot() -> Action {
        exchange.failures = 0
        phase = .wantingSnapshot
        return .store(.wantSnapshot)
    }
}
