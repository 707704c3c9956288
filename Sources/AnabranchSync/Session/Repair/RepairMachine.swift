package import AnabranchProtocol
package import AnabranchReplication
internal import AnabranchStore

/// Gives records that wait for repair the state that they have in the zone.
package struct RepairMachine: SessionMachine {
    package static let name = MachineName.repair
    package static var place: WritableKeyPath<SyncSession.Machines, Self> { \.repair }

    /// The zone's state of records that wait for repair, until the store's cursor has reached its
    /// position.
    var answer: RepairResponse?

    package mutating func begin(_ exchange: inout Exchange, at input: StepInput) -> Move {
        if let answer { return use(answer, exchange) }
        guard exchange.state.hasRecordsToRepair, exchange.zone != nil else {
            return .leave(.isOver)
        }
        return .store(LoadingRecordsToRepair())
    }

    /// Repairs the records. The answer includes the log up to its position, so the store must have
    /// pulled up to there first.
    fileprivate mutating func use(_ answer: RepairResponse, _ exchange: Exchange) -> Move {
        guard let cursor = exchange.state.cursor else { return .leave(.isOver) }
        guard cursor.position >= answer.position else {
            self.answer = answer
            return .leave(.needsPull)
        }
        self.answer = nil
        return .store(
            RepairingRecords(
                images: answer.images,
                place: CausalContext.Prefix(epoch: cursor.epoch, position: answer.position)))
    }

    package mutating func react(
        to failure: StepFailure, _ exchange: inout Exchange, at input: StepInput
    ) -> Move? {
        guard case .takeSnapshot = failure.reaction else { return nil }
        return .leave(.needsSnapshot)
    }
}

// MARK: - Steps

/// The store loads the first records that wait for repair.
package struct LoadingRecordsToRepair: StoreStep {
    package var description: String { "load records to repair" }

    package func perform(on side: StoreExecutor) throws -> [RecordID] {
        try side.store.recordsToRepair(limit: SyncProtocol.maximumRepairs)
    }

    package func next(
        _ records: [RecordID], _ machine: inout RepairMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> RepairMachine.Move {
        guard !records.isEmpty else { return .leave(.isOver) }
        return .send(
            RequestingImages(records: records),
            RepairRequest(epoch: exchange.epoch, records: records))
    }
}

/// Asks the zone for the state of records.
package struct RequestingImages: RequestStep {
    package static let endpoint = SyncEndpoint.repair
    let records: [RecordID]

    package func next(
        _ response: RepairResponse, _ machine: inout RepairMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) throws(ProtocolError) -> RepairMachine.Move {
        guard !response.images.isEmpty,
            response.images.map(\.id) == Array(records.prefix(response.images.count))
        else {
            throw ProtocolError(
                .malformedRequest,
                "Can't read the answer to a repair because it contains other records.")
        }
        exchange.learn(head: response.position, clock: response.wallMilliseconds, at: input)
        return machine.use(response, exchange)
    }
}

/// The store takes over the zone's state of records.
package struct RepairingRecords: StoreStep {
    package let images: [RecordImage]
    let place: CausalContext.Prefix
    package var description: String { "repair \(images.count) at \(place.position)" }

    package func perform(on side: StoreExecutor) throws -> ContentAnswer {
        try side.changed { try $0.repair(images, at: place) }
    }

    /// Continues with the next records. If the store's cursor has changed, the records still wait
    /// for repair.
    package func next(
        _ answer: ContentAnswer, _ machine: inout RepairMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> RepairMachine.Move {
        exchange.state = answer.state
        // An image that the store can't take is a failure even if the connection works.
        exchange.failures = 0
        return machine.begin(&exchange, at: input)
    }
}
