internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

extension SyncSession {
    /// Restamps the change sets that the zone refuses because their times are ahead. From now on
    /// the store follows the server's clock.
    ///
    /// The bound is the one that the zone has refused by: the server's clock, as the refusal says,
    /// and the limit. The device's clock has no part in it, because it may have been set since the
    /// offset to the server's was learnt.
    mutating func restamp(_ error: SyncError, at input: StepInput) -> Action {
        exchange.restamps += 1
        guard exchange.restamps < limits.rounds, let zone else {
            return stopPush(error, at: input)
        }
        exchange.failures = 0
        phase = .restamping
        let limit =
            error.details["limit"].flatMap(Int64.init) ?? SyncProtocol.clockLimitMilliseconds
        let server =
            exchange.serverMilliseconds
            ?? input.wallMilliseconds.addingReportingOverflow(zone.clockOffsetMilliseconds)
            .partialValue
        let bound = server.addingReportingOverflow(min(max(limit, 0), 1 << 40))
        return .store(
            .restamp(
                above: HybridTimestamp(
                    wallMilliseconds: bound.overflow ? .max : bound.partialValue, counter: .max),
                clockOffsetMilliseconds: zone.clockOffsetMilliseconds))
    }
}
