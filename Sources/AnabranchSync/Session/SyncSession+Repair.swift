internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

extension SyncSession {
    /// Asks for what the store owes; then compares, where that was asked for, and ends the
    /// exchange.
    mutating func settleDebts(at moment: Moment) -> Action {
        if exchange.answer != nil { return useAnswer(at: moment) }
        guard exchange.state.hasDebts, zone != nil else { return verify(at: moment) }
        phase = .loadingDebts
        return .store(.loadDebts(limit: SyncProtocol.mostRepairs))
    }

    mutating func ask(_ records: [RecordID], at moment: Moment) -> Action {
        guard !records.isEmpty, let zone else { return verify(at: moment) }
        phase = .asking(records)
        let request = RepairRequest(epoch: zone.epoch, records: records)
        return send(.repair, request.encoded(), at: moment)
    }

    mutating func answered(_ body: [UInt8], at moment: Moment) -> Action {
        guard case .asking(let records) = phase else { return verify(at: moment) }
        let response: RepairResponse
        do {
            response = try RepairResponse(decoding: body)
            try check(response, answers: records)
        } catch {
            return damaged(error, at: moment)
        }
        exchange.failures = 0
        exchange.answer = response
        exchange.headPosition = max(exchange.headPosition, response.position)
        learn(clockOf: response.wallMilliseconds, at: moment)
        return useAnswer(at: moment)
    }

    private func check(
        _ response: RepairResponse, answers records: [RecordID]
    ) throws(ProtocolError) {
        guard !response.images.isEmpty,
            response.images.map(\.id) == Array(records.prefix(response.images.count))
        else {
            throw ProtocolError(
                .malformedRequest,
                "Can't read the answer to a repair because it is about other records.")
        }
    }

    /// The answer knows of the log up to its position, so the store has to be there first.
    private mutating func useAnswer(at moment: Moment) -> Action {
        guard let answer = exchange.answer, let cursor = exchange.state.cursor else {
            return verify(at: moment)
        }
        guard cursor.position >= answer.position else { return pull(at: moment) }
        exchange.answer = nil
        phase = .repairing
        return .store(
            .repair(
                answer.images,
                at: CausalContext.Prefix(epoch: cursor.epoch, position: answer.position)))
    }

    /// Where the store has gone on by itself meanwhile, the debt is still there.
    mutating func repaired(_ state: SyncState, at moment: Moment) -> Action {
        exchange.state = state
        return settleDebts(at: moment)
    }

    /// A record is larger than an answer; a snapshot has it in pieces, and settles all debts.
    mutating func wantSnapshot() -> Action {
        exchange.failures = 0
        phase = .wantingSnapshot
        return .store(.wantSnapshot)
    }

    /// The zone takes no time that is beyond every clock: what waits gets earlier times, and the
    /// store keeps to the server's clock from now on.
    mutating func restamp(_ error: SyncError, at moment: Moment) -> Action {
        exchange.restamps += 1
        guard exchange.restamps < limits.rounds, let zone else {
            return stopPush(error, at: moment)
        }
        exchange.failures = 0
        phase = .restamping
        let limit =
            error.details["limit"].flatMap(Int64.init) ?? SyncProtocol.clockLimitMilliseconds
        let server = moment.wallMilliseconds + zone.clockOffsetMilliseconds
        return .store(
            .restamp(
                above: HybridTimestamp(
                    wallMilliseconds: server + min(max(limit, 0), 1 << 40), counter: .max),
                clockOffsetMilliseconds: zone.clockOffsetMilliseconds))
    }
}
