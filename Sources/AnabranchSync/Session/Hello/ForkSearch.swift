package import AnabranchProtocol
package import AnabranchReplication
internal import AnabranchStore

/// A binary search for the last position up to which the store's log and the zone's are equal.
struct ForkSearch: Sendable {
    /// The greatest cursor that is known to be in both logs.
    var shared: LogCursor
    /// The least position at which the logs are known to differ. A gap in the store's log counts
    /// as a difference.
    var differing: UInt64
    /// The beginning of the store's part of the log. The search can't ask about positions before
    /// it.
    let start: LogCursor?
    /// Indicates whether the zone's log was once the store's, even if no entry of it is left.
    ///
    /// It is so if the log is empty, has an epoch that the store knows, or holds the store's last
    /// save.
    let isRelated: Bool

    /// The next position to ask about, or `nil` when the search is over.
    var next: UInt64? {
        let start = start?.position ?? 0
        if shared.position < start { return start < differing ? start : nil }
        return differing - shared.position > 1
            ? shared.position + (differing - shared.position) / 2 : nil
    }

    /// Indicates whether it is useful to ask about a position.
    func canAsk(about position: UInt64) -> Bool {
        position > shared.position && position < differing && position >= start?.position ?? 0
    }
}

extension HelloMachine {
    /// Searches for the last position that both logs share, because the zone does not know the
    /// cursor.
    mutating func searchFork(
        of cursor: LogCursor, _ response: HelloResponse, _ exchange: inout Exchange
    ) -> Move {
        let state = exchange.state
        let epochs = response.earlierEpochs + [response.epoch]
        // An epoch that the zone never had says nothing about the entry at the cursor. Positions
        // behind the zone's last entry are not in its log.
        let unknown = cursor.position + (epochs.contains(cursor.epoch) ? 0 : 1)
        let isRelated =
            response.headPosition == 0 && state.start == nil
            || !state.epochs.isDisjoint(with: epochs)
            || response.origin != nil && response.origin == state.last?.origin
        let search = ForkSearch(
            shared: LogCursor(startOf: response.epoch),
            differing: min(unknown, response.headPosition + 1), start: state.start,
            isRelated: isRelated)
        // A backup is mostly a prefix of the log, so its end is likely.
        guard search.canAsk(about: response.headPosition) else {
            return go(on: search, &exchange)
        }
        return .store(LocatingCursor(search: search, position: response.headPosition))
    }

    fileprivate mutating func go(on search: ForkSearch, _ exchange: inout Exchange) -> Move {
        guard let position = search.next else { return end(search, &exchange) }
        return .store(LocatingCursor(search: search, position: position))
    }

    private mutating func end(_ search: ForkSearch, _ exchange: inout Exchange) -> Move {
        let shared = search.shared
        guard shared.position > 0 || search.isRelated || exchange.limits.mayChangeLog else {
            return stop(.otherLog(exchange.state.cursor, epoch: shared.epoch), &exchange)
        }
        if let start = search.start, shared.position < start.position, !search.isRelated {
            return stop(.missingLog(before: start, epoch: shared.epoch), &exchange)
        }
        return .store(Rewinding(cursor: shared))
    }

    /// Ends the exchange and forgets the zone, so that the next exchange says hello.
    private func stop(_ error: SyncError, _ exchange: inout Exchange) -> Move {
        exchange.zone = nil
        return .stop(error)
    }
}

extension SyncError {
    /// The two logs are unrelated. They are mixed only on request.
    fileprivate static func otherLog(_ cursor: LogCursor?, epoch: EpochID) -> SyncError {
        let cursor = cursor.map(\.description) ?? "the beginning"
        return SyncError(
            .unknownCursor,
            "Can't continue from \(cursor) because the zone's log, of epoch \(epoch), shares "
                + "no entry with the store's log. The store keeps everything. Sync with the "
                + "zone that it has followed, sync a new store, or move this one.",
            details: ["cursor": cursor, "epoch": "\(epoch)"])
    }

    /// The zone lacks records that the store's log does not have either: it begins behind them. A
    /// snapshot of the zone would remove them from the store.
    fileprivate static func missingLog(before start: LogCursor, epoch: EpochID) -> SyncError {
        SyncError(
            .unknownCursor,
            "Can't give the zone, of epoch \(epoch), what it lacks because the store's log "
                + "begins at position \(start.position), and earlier saves are not in it. The "
                + "store keeps everything. Move the zone itself to the other server, by a "
                + "backup, or let a store with the whole log sync first.",
            details: ["start": "\(start.position)", "epoch": "\(epoch)"])
    }
}

// MARK: - Steps

/// The store computes its cursor at a position.
package struct LocatingCursor: StoreStep {
    let search: ForkSearch
    let position: UInt64
    package var description: String { "cursor at \(position)" }

    package func perform(on side: StoreExecutor) throws -> LogCursor? {
        try side.store.cursor(at: position, behind: search.shared)
    }

    /// - Parameter cursor: The cursor, or `nil` if the store's log has a gap before the position.
    ///   The entries after the gap are pushed again, although the zone may have them.
    package func next(
        _ cursor: LogCursor?, _ machine: inout HelloMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> HelloMachine.Move {
        guard let cursor else {
            var search = search
            search.differing = position
            return machine.go(on: search, &exchange)
        }
        return .send(
            AskingAboutCursor(search: search, cursor: cursor),
            HelloRequest(of: exchange, cursor: cursor, at: input))
    }
}

/// Asks the zone whether an earlier cursor of the store is in its log.
package struct AskingAboutCursor: RequestStep {
    package static let endpoint = SyncEndpoint.hello
    let search: ForkSearch
    let cursor: LogCursor

    package func next(
        _ response: HelloResponse, _ machine: inout HelloMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> HelloMachine.Move {
        exchange.learn(response, at: input)
        if cursor.epoch != response.epoch, let held = exchange.state.cursor {
            // The zone went backwards once more meanwhile.
            return machine.searchFork(of: held, response, &exchange)
        }
        var search = search
        if response.isCursorKnown {
            search.shared = cursor
        } else {
            search.differing = cursor.position
        }
        return machine.go(on: search, &exchange)
    }
}
