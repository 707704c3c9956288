internal import AnabranchProtocol
internal import AnabranchReplication
package import AnabranchStore

// A change set that no request can carry gets a form that fits, so that later saves can follow.
extension PushMachine {
    /// Divides a change set that is larger than the zone accepts. A save that can't be divided that
    /// far is rejected for good, because the zone never takes it.
    func divide(_ entry: StoredLogEntry, _ exchange: Exchange) -> Move {
        let set = entry.changeSet
        let rejection = SaveRejection(
            .tooLarge,
            "Can't push change set \(set.dot) because the server accepts requests of "
                + "\(exchange.largestBody) bytes, and the list of its parts is larger. "
                + "Save less at a time, or have the server's operator raise the limit of bodies.")
        return .store(
            Dividing(
                set: set, byteLimit: exchange.changeSetRoom, rejection: rejection,
                error: exchange.tooLarge(entry)))
    }

    /// Sends less at a time, because the server accepts less than it said, or something on the way
    /// to it does.
    ///
    /// A limit that the server names holds from now on. Something on the way names none, and its
    /// limit may be raised at any time, so no save is rejected for it.
    mutating func pushLess(after failure: StepFailure, _ exchange: inout Exchange) -> Move {
        let error = failure.error
        let hasLearnt = exchange.learn(limitIn: error)
        let canShrink = hasLearnt || exchange.byteLimit > exchange.limits.leastBytes
        exchange.halveBytes()
        switch failure.step {
        case is SendingPiece where canShrink: return load(exchange)
        case let step as Pushing where refused == nil:
            if hasLearnt || canShrink && step.batch.count > 1 { return load(exchange) }
            guard step.batch.count == 1 else { return stop(error, &exchange) }
            let set = step.batch[0].changeSet
            return .store(
                Dividing(
                    set: set, byteLimit: set.encoded().count - 1, rejection: nil, error: error))
        default: return stop(error, &exchange)
        }
    }
}

/// The store divides a change set that is too large for a request, or rejects it.
package struct Dividing: RewritingStep {
    let set: ChangeSet
    /// The greatest number of bytes that the change set may have.
    let byteLimit: Int
    /// The reason for which the save is rejected if it can't be divided that far; `nil` if it stays
    /// then.
    let rejection: SaveRejection?
    package let error: SyncError
    package var description: String { "divide \(set.dot.sequence) to \(byteLimit)" }

    package func perform(on side: StoreExecutor) throws -> SyncState? {
        try side.rewritten { store in
            try store.divide(set, toFit: byteLimit, orReject: rejection)
        }
    }
}
