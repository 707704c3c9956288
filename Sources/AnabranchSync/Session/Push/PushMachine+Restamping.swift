internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

extension PushMachine {
    /// Restamps the change sets that the zone refuses because their times are ahead. From now on
    /// the store follows the server's clock.
    ///
    /// The bound is the one that the zone has refused by: the server's clock, as the refusal says,
    /// and the limit. The device's clock has no part in it, because it may have been set since the
    /// offset to the server's was learnt.
    mutating func restamp(
        _ error: SyncError, _ exchange: inout Exchange, at input: StepInput
    ) -> Move {
        restamps += 1
        guard restamps < exchange.limits.rounds, let zone = exchange.zone else {
            return stop(error, &exchange)
        }
        exchange.failures = 0
        let limit =
            error.details["limit"].flatMap(Int64.init) ?? SyncProtocol.clockLimitMilliseconds
        let server =
            exchange.serverMilliseconds
            ?? input.wallMilliseconds.addingReportingOverflow(zone.clockOffsetMilliseconds)
            .partialValue
        let bound = server.addingReportingOverflow(min(max(limit, 0), 1 << 40))
        return .store(
            Restamping(
                limit: HybridTimestamp(
                    wallMilliseconds: bound.overflow ? .max : bound.partialValue, counter: .max),
                clockOffsetMilliseconds: zone.clockOffsetMilliseconds))
    }
}

/// The store gives unpushed change sets earlier times.
package struct Restamping: StoreStep {
    let limit: HybridTimestamp
    let clockOffsetMilliseconds: Int64

    package var description: String {
        "restamp above \(limit.wallMilliseconds), offset \(clockOffsetMilliseconds)"
    }

    package func perform(on side: StoreExecutor) throws {
        side.show(
            try side.store.restamp(above: limit, clockOffsetMilliseconds: clockOffsetMilliseconds))
    }

    package func next(
        _: Void, _ machine: inout PushMachine, _ exchange: inout Exchange, at input: StepInput
    ) -> PushMachine.Move {
        machine.load(exchange)
    }
}
