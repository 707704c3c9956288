internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

/// A binary search for the last position up to which two logs are equal.
struct ForkSearch: Sendable {
    /// The greatest cursor that is known to be in both logs.
    var shared: LogCursor
    /// The least position at which the logs are known to differ. A gap in the store's log counts
    /// as a difference.
    var differing: UInt64
    /// The beginning of the store's part of the log. The search can't ask about positions before
    /// it.
    var start: UInt64
    /// The cursor that the zone is asked about.
    var probe: LogCursor?

    /// The next position to ask about, or `nil` when the search is over.
    var next: UInt64? {
        if shared.position < start { return start < differing ? start : nil }
        return differing - shared.position > 1
            ? shared.position + (differing - shared.position) / 2 : nil
    }
}

// The zone went backwards: it was restored from a backup or recreated.
extension SyncSession {
    /// Searches for the last position that both logs share, because the zone does not know the
    /// cursor.
    mutating func searchFork(_ response: HelloResponse, at input: StepInput) -> Action {
        guard let cursor = exchange.state.cursor else { return pull(at: input) }
        let epochs = response.earlierEpochs + [response.epoch]
        // An epoch that the zone never had says nothing about the entry at the cursor. Positions
        // behind the zone's last entry are not in its log.
        let unknown = cursor.position + (epochs.contains(cursor.epoch) ? 0 : 1)
        exchange.search = ForkSearch(
            shared: LogCursor(startOf: response.epoch),
            differing: min(unknown, response.headPosition + 1),
            start: exchange.state.start?.position ?? 0)
        let hasWholeLog = exchange.state.start == nil
        exchange.isRelated =
            response.headPosition == 0 && hasWholeLog
            || !exchange.state.epochs.isDisjoint(with: epochs)
            || (response.origin != nil && response.origin == exchange.state.last?.origin)
        return search(response.headPosition, at: input)
    }

    /// Continues the search.
    ///
    /// - Parameter first: A position to ask about before the binary search. A backup is mostly a
    ///   prefix of the log, so its end is likely.
    private mutating func search(_ first: UInt64? = nil, at input: StepInput) -> Action {
        guard let search = exchange.search else { return hello(at: input) }
        let likely = first.flatMap {
            (search.shared.position + 1..<max(search.differing, search.shared.position + 1))
                .contains($0) && $0 >= search.start ? $0 : nil
        }
        guard let position = likely ?? search.next else { return endSearch(at: input) }
        phase = .probing(position)
        return .store(.cursor(at: position, behind: search.shared))
    }

    /// Asks the zone about a cursor.
    ///
    /// - Parameter cursor: The cursor, or `nil` if the store's log has a gap before the position.
    ///   The entries after the gap are pushed again, although the zone may have them.
    mutating func probe(_ cursor: LogCursor?, at position: UInt64, at input: StepInput) -> Action {
        guard let cursor else {
            exchange.search?.differing = position
            return search(at: input)
        }
        exchange.search?.probe = cursor
        return hello(at: input)
    }

    /// Narrows the search by the zone's answer.
    mutating func probed(_ response: HelloResponse, at input: StepInput) -> Action {
        guard var search = exchange.search, let probe = search.probe else {
            return hello(at: input)
        }
        guard probe.epoch == response.epoch else {
            // The zone went backwards once more meanwhile.
            exchange.search = nil
            return searchFork(response, at: input)
        }
        if response.isCursorKnown {
            search.shared = probe
        } else {
            search.differing = probe.position
        }
        search.probe = nil
        exchange.search = search
        return self.search(at: input)
    }

    private mutating func endSearch(at input: StepInput) -> Action {
        guard let shared = exchange.search?.shared else { return hello(at: input) }
        exchange.search = nil
        guard shared.position > 0 || exchange.isRelated || limits.mayChangeLog else {
            return otherLog(shared.epoch)
        }
        if let start = exchange.state.start, shared.position < start.position,
            !exchange.isRelated
        {
            return missingLog(start, shared.epoch)
        }
        phase = .rewinding
        return .store(.rewind(to: shared))
    }

    /// Moves the cursor to the present epoch. Entries that an earlier epoch acknowledged ahead of
    /// the cursor may be missing in this one, so they are pushed again.
    ///
    /// - Returns: `nil` if there are no such entries.
    mutating func takeBack(in epoch: EpochID) -> Action? {
        guard !exchange.state.epochsAhead.isSubset(of: [epoch]) else { return nil }
        phase = .rewinding
        let cursor = exchange.state.cursor ?? LogCursor(startOf: epoch)
        return .store(.rewind(to: cursor.inEpoch(epoch)))
    }

    /// Says hello again after the cursor was moved.
    mutating func rewound(_ state: SyncState, at input: StepInput) -> Action {
        exchange.state = state
        exchange.isPushOver = false
        // Hello is said again to store the zone's epochs.
        return hello(at: input)
    }

    /// Ends the exchange, because the two logs are unrelated. They are mixed only on request.
    private mutating func otherLog(_ epoch: EpochID) -> Action {
        let cursor = exchange.state.cursor.map(\.description) ?? "the beginning"
        zone = nil
        return finish(
            SyncError(
                .unknownCursor,
                "Can't continue from \(cursor) because the zone's log, of epoch \(epoch), shares "
                    + "no entry with the store's log. The store keeps everything. Sync with the "
                    + "zone that it has followed, sync a new store, or move this one.",
                details: ["cursor": cursor, "epoch": "\(epoch)"]))
    }

    /// Ends the exchange, because the zone lacks records that the store's log does not have either:
    /// it begins behind them. A snapshot of the zone would remove them from the store.
    private mutating func missingLog(_ start: LogCursor, _ epoch: EpochID) -> Action {
        zone = nil
        return finish(
            SyncError(
                .unknownCursor,
                "Can't give the zone, of epoch \(epoch), what it lacks because the store's log "
                    + "begins at position \(start.position), and earlier saves are not in it. The "
                    + "store keeps everything. Move the zone itself to the other server, by a "
                    + "backup, or let a store with the whole log sync first.",
                details: ["start": "\(start.position)", "epoch": "\(epoch)"]))
    }
}
