package import AnabranchProtocol
internal import AnabranchReplication
package import AnabranchStore

/// The progress of sending the parts of a save.
struct PartProgress: Sendable {
    /// The number of refusals for missing parts without any progress.
    var refusals = 0
    /// The farthest part and byte that the zone has named.
    var place = (number: -1, held: 0)
}

// A save in parts is sent as a small change set that lists its parts. The parts are sent before it,
// to the zone's stage.
extension PushMachine {
    /// Sends parts, because the zone has refused a save and named the first missing byte.
    mutating func sendParts(_ error: SyncError, _ exchange: inout Exchange) -> Move {
        parts.refusals += 1
        guard let set = refused, set.kind == .saveInParts,
            let number = error.details["part"].flatMap({ Int($0) }),
            let held = error.details["held"].flatMap({ Int($0) })
        else { return stop(error, &exchange) }
        if (number, held) > parts.place { parts = PartProgress(place: (number, held)) }
        guard parts.refusals < exchange.limits.retry.attempts else {
            return stop(error, &exchange)
        }
        exchange.failures = 0
        return loadPiece(of: set, part: number, from: held, exchange)
    }

    fileprivate func loadPiece(
        of set: ChangeSet, part number: Int, from start: Int, _ exchange: Exchange
    ) -> Move {
        let limit = min(exchange.batchBytes, exchange.limits.pieceBytes)
        return .store(LoadingPiece(set: set, number: number, start: start, byteLimit: limit))
    }
}

// MARK: - Steps

/// The store loads the next piece of a part that the zone lacks.
package struct LoadingPiece: StoreStep {
    let set: ChangeSet
    /// The index of the part among those of its save.
    let number: Int
    let start: Int
    let byteLimit: Int

    package var description: String {
        "load part \(number) of \(set.dot.sequence) at \(start)"
    }

    package func perform(on side: StoreExecutor) throws -> PartPiece? {
        try side.store.piece(of: set, part: number, from: start, byteLimit: byteLimit)
    }

    package func next(
        _ piece: PartPiece?, _ machine: inout PushMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> PushMachine.Move {
        guard let piece else { return machine.load(exchange) }
        let request = StageRequest(part: piece.part, start: UInt64(piece.start), bytes: piece.bytes)
        return .send(SendingPiece(piece: piece, set: set), request)
    }
}

/// The zone takes a piece of a part.
package struct SendingPiece: RequestStep {
    package static let endpoint = SyncEndpoint.stage
    let piece: PartPiece
    let set: ChangeSet

    /// Continues with the next missing piece of the save, or pushes again after the last one.
    package func next(
        _ response: StageResponse, _ machine: inout PushMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) throws(ProtocolError) -> PushMachine.Move {
        let held = Int(clamping: response.heldBytes)
        // Every answer must make progress, so that the exchange ends.
        guard held > piece.start, held <= piece.part.byteCount else {
            throw ProtocolError(
                .malformedRequest,
                "Can't continue with a part because the zone holds \(held) bytes of it after "
                    + "byte \(piece.start) was sent.")
        }
        exchange.failures = 0
        guard held == piece.part.byteCount else {
            return machine.loadPiece(of: set, part: piece.number, from: held, exchange)
        }
        let next = piece.number + 1
        guard let count = try? set.parts().count, next < count else {
            return machine.load(exchange)
        }
        return machine.loadPiece(of: set, part: next, from: 0, exchange)
    }
}
