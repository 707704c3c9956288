package import AnabranchProtocol
internal import AnabranchReplication
package import AnabranchStore

/// Requests the entries after the store's cursor, checks them, and has them applied page by page.
///
/// A page may need parts of saves, which are fetched and kept before the page is applied. So an
/// interrupted exchange continues behind them.
package struct PullMachine: SessionMachine {
    package static let name = MachineName.pull
    package static var place: WritableKeyPath<SyncSession.Machines, Self> { \.pull }

    /// The reason why the last page could not be used, and the number of pages in a row that could
    /// not be used for this reason.
    var unusablePage = (reason: "", count: 0)
    /// Indicates whether a complete part was damaged.
    var hasDamagedPart = false

    package mutating func begin(_ exchange: inout Exchange, at input: StepInput) -> Move {
        let limit = min(exchange.byteLimit, exchange.limits.pageBytes)
        return .send(
            Pulling(),
            PullRequest(cursor: exchange.state.cursor, byteLimit: UInt64(limit)))
    }

    /// Applies the first of the pages, or continues after the last one.
    mutating func apply(
        _ pages: ArraySlice<RemotePage>, _ exchange: inout Exchange, at input: StepInput
    ) -> Move {
        guard let page = pages.first else {
            return exchange.isBehindHead ? begin(&exchange, at: input) : .leave(.isAtHead)
        }
        return .store(ApplyingPage(page: page, rest: pages.dropFirst()))
    }
}

// MARK: - Pages that can't be used

extension PullMachine {
    /// Gives the log up if the present page can't be used: the same page would come again for ever.
    ///
    /// That is so if the store refuses the page, because it contradicts what the store holds, or if
    /// the page can't be read or does not match its cursor as often as the policy allows. The push
    /// comes before the snapshot and shows which saves are of another branch. The outcome says why
    /// the snapshot was needed. If a page after the snapshot can't be used either, the exchange
    /// ends and says so.
    ///
    /// A page with a time that no clock shows gets no snapshot, which would have the same time. The
    /// error says which clock to set.
    package mutating func react(
        to failure: StepFailure, _ exchange: inout Exchange, at input: StepInput
    ) -> Move? {
        if failure.step is KeepingPart { hasDamagedPart = true }
        if failure.step is Pulling, failure.error.code == .damagedResponse,
            failure.error.underlying is ProtocolError
        {
            let isSame = failure.error.message == unusablePage.reason
            unusablePage = (failure.error.message, (isSame ? unusablePage.count : 0) + 1)
        }
        guard isPageUnusable(after: failure, exchange) else { return nil }
        let error = failure.error
        guard exchange.outcome.snapshotReason == nil else {
            return .stop(
                SyncError(
                    .unusableLog,
                    "Can't apply the zone's log, also after a snapshot: \(error.message) The "
                        + "store keeps everything that was saved in it. Ask the server's operator "
                        + "to run 'anabranchd zone verify'. If the zone is intact, export the "
                        + "store as a bundle, import that into a new store, and sync the new "
                        + "store.",
                    details: error.details, underlying: error))
        }
        unusablePage = ("", 0)
        return .leave(.isUnusable(error))
    }

    /// Indicates whether the present page of the zone's log will never be applied.
    private func isPageUnusable(after failure: StepFailure, _ exchange: Exchange) -> Bool {
        let attempts = exchange.limits.retry.attempts
        return switch (failure.step, failure.error.code) {
        case (is ApplyingPage, .forked): true
        case (is ApplyingPage, .damagedResponse): exchange.failures >= attempts
        // A bad connection damages other bytes each time, so other failures do not count here.
        case (is Pulling, .damagedResponse): unusablePage.count >= attempts
        default: false
        }
    }
}

// MARK: - Steps

/// Asks the zone for the entries after the cursor.
package struct Pulling: RequestStep {
    package static let endpoint = SyncEndpoint.pull

    package func next(
        _ response: PullResponse, _ machine: inout PullMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) throws(ProtocolError) -> PullMachine.Move {
        let pages = try exchange.checkedPages(of: response)
        machine.unusablePage = ("", 0)
        // A page that can't be applied is a failure even if the connection works.
        if pages.isEmpty { exchange.failures = 0 }
        exchange.headPosition = response.headPosition
        exchange.learn(clock: response.wallMilliseconds, at: input)
        return machine.apply(pages[...], &exchange, at: input)
    }
}

/// The store applies a page.
package struct ApplyingPage: StoreStep {
    package let page: RemotePage
    /// The pages behind it.
    let rest: ArraySlice<RemotePage>

    package var description: String {
        "apply \(page.changeSets.count) to \(page.cursor.position)"
    }

    /// Applies the page, unless a part of one of its saves is missing.
    package func perform(on side: StoreExecutor) throws -> PageAnswer {
        if let part = try side.store.lackingPart(of: page) { return .lacking(part) }
        return switch try side.changed({ try $0.apply(page) }) {
        case .applied(let state): .applied(state)
        case .cursorMoved(let state): .cursorMoved(state)
        }
    }

    package func next(
        _ answer: PageAnswer, _ machine: inout PullMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) -> PullMachine.Move {
        switch answer {
        case .applied(let state):
            exchange.state = state
            exchange.failures = 0
            exchange.outcome.pulledChangeSets += page.changeSets.count
            return machine.apply(rest, &exchange, at: input)
        case .cursorMoved(let state):
            exchange.state = state
            return machine.begin(&exchange, at: input)
        case .lacking(let part):
            let limit = min(exchange.byteLimit, exchange.limits.pieceBytes)
            let request = PartRequest(
                part: part.part, start: UInt64(part.heldBytes), byteLimit: UInt64(limit))
            return .send(FetchingPart(part: part, page: self), request)
        }
    }
}

/// Asks the zone for the next piece of a part that a page needs.
package struct FetchingPart: RequestStep {
    package static let endpoint = SyncEndpoint.part
    let part: LackingPart
    let page: ApplyingPage

    package func next(
        _ response: PartResponse, _ machine: inout PullMachine, _ exchange: inout Exchange,
        at input: StepInput
    ) throws(ProtocolError) -> PullMachine.Move {
        let missing = part.part.byteCount - part.heldBytes
        guard !response.bytes.isEmpty, response.bytes.count <= missing else {
            throw ProtocolError(
                .malformedRequest,
                "Can't use a piece of a part because it has \(response.bytes.count) bytes, not "
                    + "1 to \(missing).")
        }
        return .store(KeepingPart(piece: response.bytes, part: part, page: page))
    }
}

/// The store keeps a piece of a part. Then the page is applied if this was the last missing piece.
package struct KeepingPart: StoreStep {
    let piece: [UInt8]
    let part: LackingPart
    let page: ApplyingPage
    package var description: String { "keep \(piece.count) bytes at \(part.heldBytes)" }

    package func perform(on side: StoreExecutor) throws {
        try side.store.keep(piece, of: part.part, at: part.heldBytes)
    }

    package func next(
        _: Void, _ machine: inout PullMachine, _ exchange: inout Exchange, at input: StepInput
    ) -> PullMachine.Move {
        // A part that is damaged again and again must end the exchange, so its failures still
        // count.
        if !machine.hasDamagedPart { exchange.failures = 0 }
        return .store(page)
    }
}
