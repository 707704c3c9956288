package import AnabranchProtocol
package import AnabranchReplication
package import AnabranchStore

extension SyncSession {
    /// The next action of the engine, which answers it with exactly one `Event`.
    package enum Action: Sendable {
        /// Send a request. Answer with `received`, `refused` or `failed`.
        case send(SyncEndpoint, body: [UInt8])
        /// Work on the store. Answer with the event that `StoreWork` names.
        case store(StoreWork)
        /// Wait for a duration. Answer with `waited`.
        case wait(Duration)
        /// Stop, because the exchange is over. The session waits for the next `begin`.
        case finish(Ending)
    }

    /// Work on the store, each in one transaction.
    package enum StoreWork: Sendable {
        /// Apply a page. Answer with `applied`, or with `cursorMoved` if the page no longer begins
        /// at the store's cursor. Answer with `lacking` if a part of a save is missing.
        case apply(RemotePage)
        /// Store a piece of a part. Answer with `kept`.
        case keep([UInt8], of: SavePart, at: Int)
        /// Load a piece of a part of a save that is to be pushed. Answer with `piece`.
        case loadPiece(of: ChangeSet, part: Int, from: Int, byteLimit: Int)
        /// Store acknowledgements. Answer with `acknowledged`.
        case acknowledge([Acknowledged], epoch: EpochID)
        /// Load unpushed change sets and make them durable. Answer with `loaded`.
        case loadPending(byteLimit: Int)
        /// Give the next save a new replica ID, because the zone holds more change sets of the
        /// replica than the store. The store does nothing if it has caught up. Answer with
        /// `renewed`.
        case renewIdentity(ifLastBelow: UInt64)
        /// Store the epochs of the zone. Answer with `recorded`.
        case recordEpochs([EpochID])
        /// Compute the store's cursor at an earlier position, starting from a cursor before it.
        /// Answer with `cursor`.
        case cursor(at: UInt64, behind: LogCursor)
        /// Move the cursor back. Answer with `rewound`.
        case rewind(to: LogCursor)
        /// Load records that wait for repair. Answer with `recordsToRepair`.
        case loadRecordsToRepair(limit: Int)
        /// Repair records. Answer with `applied`, or with `cursorMoved` if the store's cursor has
        /// changed.
        case repair([RecordImage], at: CausalContext.Prefix)
        /// Record that the store needs a snapshot, also after a restart. Answer with `recorded`.
        case wantSnapshot
        /// Store a chunk of a snapshot. Answer with `staged`.
        case stage([UInt8], number: UInt64, of: StagedSnapshot)
        /// Load a complete snapshot. Answer with `applied`, also if the chunks were discarded, or
        /// with `cursorMoved`, also if something must be pushed first.
        case loadSnapshot(isPushBlocked: Bool)
        /// Rename the store's branch of a forked history, because the log's branch is before its
        /// horizon and can't be pulled. Answer with `rewritten`.
        case renameBranch(Dot, to: Digest?)
        /// Adopt the log's forms of pushed change sets that are before its horizon. Answer with
        /// `rewritten`.
        case takeForms([Acknowledged], beneath: CausalContext.Prefix)
        /// Give unpushed change sets with later times the least times that keep their order. Answer
        /// with `restamped`.
        case restamp(above: HybridTimestamp, clockOffsetMilliseconds: Int64)
        /// Find change sets that the zone lacks and that others depend on. Answer with `supplied`.
        case supply(MissingChangeSets)
        /// Compare ranges of the zone's state with the store's. Answer with `compared`, or with
        /// `cursorMoved` if the store does not hold exactly the log up to the position.
        case compare([ComparedRange], at: CausalContext.Prefix)
        /// Record that these records wait for repair, because they differ. Answer with
        /// `queuedForRepair`.
        case queueForRepair([RecordID])
    }

    /// The answer to an action.
    package enum Event: Sendable {
        /// The body of the server's answer.
        case received([UInt8])
        /// The server's refusal, and the delay that it asked for.
        case refused(ProtocolError, retryAfter: Duration?)
        /// The reason why no answer came.
        case failed(SyncError)
        /// The new state of the store after its contents changed.
        case applied(SyncState)
        /// The state of a store that another process has moved on. Nothing was changed.
        case cursorMoved(SyncState)
        /// The first missing part of a save. Nothing was applied.
        case lacking(LackingPart)
        /// The piece is stored.
        case kept
        /// The piece, or `nil` if another process has rewritten or removed the save meanwhile.
        case piece(PartPiece?)
        /// The first unpushed change sets, and the state of the store.
        case loaded([StoredLogEntry], SyncState)
        /// The new state of the store.
        case acknowledged(SyncState)
        /// The next save uses a new replica ID, if that was necessary.
        case renewed
        /// The new state of the store.
        case recorded(SyncState)
        /// The cursor, or `nil` if the store's log does not reach the position.
        case cursor(LogCursor?)
        /// The new state of the store.
        case rewound(SyncState, keptCopy: String?)
        /// The first records that wait for repair.
        case recordsToRepair([RecordID])
        /// The unpushed change sets have earlier times.
        case restamped
        /// The new state, or `nil` if there was nothing to rewrite.
        case rewritten(SyncState?)
        /// The new state of the store.
        case staged(SyncState)
        /// The entries that the zone lacks. Empty if the store holds them as acknowledged: then the
        /// zone contradicts itself.
        case supplied([StoredLogEntry])
        /// The differences between the ranges.
        case compared(StateComparison)
        /// The new state of the store.
        case queuedForRepair(SyncState)
        /// The reason why the store could not do the work.
        case storeFailed(SyncError)
        case waited
    }

    /// The end of an exchange.
    package enum Ending: Sendable {
        /// All entries of the zone were pulled. ``SyncOutcome/blockedBy`` says why a push stopped.
        case done(SyncOutcome)
        /// The exchange failed. Everything that was done before stays.
        case failed(SyncError)
    }

    /// The time and a random number that a step may use. The session itself has no clock and no
    /// randomness.
    package struct StepInput: Sendable {
        /// The client's clock, in milliseconds since 1970-01-01 UTC.
        package var wallMilliseconds: Int64
        /// A random number for the jitter of back-off.
        package var draw: UInt64

        package init(wallMilliseconds: Int64, draw: UInt64) {
            self.wallMilliseconds = wallMilliseconds
            self.draw = draw
        }
    }
}

/// The requests of an exchange.
package enum SyncEndpoint: String, Sendable, CaseIterable {
    case hello, pull, push, repair, snapshot, checksums
    /// The request that sends a piece of a part to the zone.
    case stage
    /// The request that gets a piece of a part from the zone.
    case part
}

/// The facts about a zone that an engine keeps from one exchange to the next.
package struct ZoneState: Hashable, Sendable {
    package var epoch: EpochID
    /// The greatest length of a request's body after decompression, in bytes.
    package var largestBody: Int
    /// The milliseconds to add to the client's clock to get the server's.
    package var clockOffsetMilliseconds: Int64
    /// The quotas of the zone.
    package var quotas: [QuotaUse]

    package init(
        epoch: EpochID, largestBody: Int, clockOffsetMilliseconds: Int64, quotas: [QuotaUse] = []
    ) {
        self.quotas = quotas
        self.epoch = epoch
        self.largestBody = largestBody
        self.clockOffsetMilliseconds = clockOffsetMilliseconds
    }
}
