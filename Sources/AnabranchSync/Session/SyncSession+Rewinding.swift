internal import AnabranchProtocol
internal import AnabranchReplication
internal import AnabranchStore

/// Looks for the last position up to which two logs are the same, by halves.
struct ForkSearch: Sendable {
    /// The greatest cursor that the zone is known to share, and the least position that it does
    /// not.
    var shared: LogCursor
    var differing: UInt64
    /// Where the store's part of the log begins: what lies before it can't be asked about.
    var start: UInt64
    /// What the zone is asked about.
    var probe: LogCursor?

    /// `nil` once nothing is left between the two.
    var next: UInt64? {
        if shared.position < start { return start < differing ? start : nil }
        return differing - shared.position > 1
            ? shared.position + (differing - shared.position) / 2 : nil
    }
}

// A zone that went backwards: it was restored from a backup, or begun anew.
extension SyncSession {
    mutating func searchFork(_ response: HelloResponse, at moment: Moment) -> Action {
        guard let cursor = exchange.state.cursor else { return pull(at: moment) }
        // What is behind the zone's end is not in its log.
        exchange.search = ForkSearch(
            shared: LogCursor(startOf: response.epoch),
            differing: min(cursor.position, response.headPosition + 1),
            start: exchange.state.start?.position ?? 0)
        let epochs = response.earlierEpochs + [response.epoch]
        exchange.isRelated =
            response.headPosition == 0 || !exchange.state.epochs.isDisjoint(with: epochs)
            || (response.origin != nil && response.origin == exchange.state.last?.origin)
        return search(response.headPosition, at: moment)
    }

    /// - Parameter first: Asked about before the halves: a backup is mostly a beginning of the log.
    private mutating func search(_ first: UInt64? = nil, at moment: Moment) -> Action {
        guard let search = exchange.search else { return hello(at: moment) }
        let likely = first.flatMap {
            (search.shared.position + 1..<max(search.differing, search.shared.position + 1))
                .contains($0) && $0 >= search.start ? $0 : nil
        }
        guard let position = likely ?? search.next else { return endSearch(at: moment) }
        phase = .probing(position)
        return .store(.cursor(at: position, behind: search.shared))
    }

    /// - Parameter cursor: `nil` where the store's log does not reach so far without a hole; what
    ///   is behind that is sent again, though the zone may have it.
    mutating func probe(_ cursor: LogCursor?, at position: UInt64, at moment: Moment) -> Action {
        guard let cursor else {
            exchange.search?.differing = position
            return search(at: moment)
        }
        exchange.search?.probe = cursor
        return hello(at: moment)
    }

    mutating func probed(_ response: HelloResponse, at moment: Moment) -> Action {
        guard var search = exchange.search, let probe = search.probe else {
            return hello(at: moment)
        }
        guard probe.epoch == response.epoch else {
            // It went backwards once more meanwhile.
            exchange.search = nil
            return searchFork(response, at: moment)
        }
        if response.isCursorKnown {
            search.shared = probe
        } else {
            search.differing = probe.position
        }
        search.probe = nil
        exchange.search = search
        return self.search(at: moment)
    }

    private mutating func endSearch(at moment: Moment) -> Action {
        guard let shared = exchange.search?.shared else { return hello(at: moment) }
        exchange.search = nil
        guard shared.position > 0 || exchange.isRelated || limits.mayChangeLog else {
            return otherLog(shared.epoch)
        }
        phase = .rewinding
        return .store(.rewind(to: shared))
    }

    /// Goes on in another life of the log from where the cursor is: what an earlier one has
    /// acknowledged ahead of the cursor need not be in this one, and is sent again.
    ///
    /// - Returns: `nil` where there is nothing of the kind.
    mutating func takeBack(in epoch: EpochID) -> Action? {
        guard !exchange.state.epochsAhead.isSubset(of: [epoch]) else { return nil }
        phase = .rewinding
        let cursor = exchange.state.cursor ?? LogCursor(startOf: epoch)
        return .store(.rewind(to: cursor.inEpoch(epoch)))
    }

    mutating func rewound(_ state: SyncState, at moment: Moment) -> Action {
        exchange.state = state
        exchange.isPushOver = false
        // Once more from the greeting, which notes the zone's epochs.
        return hello(at: moment)
    }

    /// Two logs that never were one are not mixed, unless somebody wants it.
    private mutating func otherLog(_ epoch: EpochID) -> Action {
        let cursor = exchange.state.cursor.map(\.description) ?? "the beginning"
        zone = nil
        return finish(
            SyncError(
                .unknownCursor,
                "Can't go on from \(cursor) because the zone's log, of epoch \(epoch), is another "
                    + "one and shares nothing with it. The store keeps everything; sync with the "
                    + "zone that it has followed, sync a new store, or move this one.",
                details: ["cursor": cursor, "epoch": "\(epoch)"]))
    }
}
