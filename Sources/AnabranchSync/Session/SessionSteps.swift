package import AnabranchProtocol
package import AnabranchReplication
package import AnabranchStore

extension SyncSession {
    /// What the shell has to do next; it answers with exactly one ``Event``.
    package enum Action: Sendable {
        /// Answer with `received`, `refused` or `failed`.
        case send(SyncEndpoint, body: [UInt8])
        /// Answer with what ``StoreWork`` names.
        case store(StoreWork)
        /// Answer with `waited`.
        case wait(Duration)
        /// The exchange is over; the session waits for the next `begin`.
        case finish(Ending)
    }

    /// Work on the store, each in one transaction.
    package enum StoreWork: Sendable {
        /// Answer with `applied`, with `cursorMoved` where the store has gone on by itself, or with
        /// `lacking` where a part of a save of the page is not here yet.
        case apply(RemotePage)
        /// Keep a piece of a part. Answer with `kept`.
        case keep([UInt8], of: SavePart, at: Int)
        /// A piece of a part of a save that is to be pushed. Answer with `piece`.
        case loadPiece(of: ChangeSet, part: Int, from: Int, byteLimit: Int)
        /// Answer with `acknowledged`.
        case acknowledge([Acknowledged], epoch: EpochID)
        /// Answer with `loaded`; what is handed out has been made durable.
        case loadPending(byteLimit: Int)
        /// The zone holds more of the store's replica than the store: unless the store has caught
        /// up, its next save takes a new replica ID. Answer with `renewed`.
        case renewIdentity(ifLastBelow: UInt64)
        /// Answer with `noted`.
        case note([EpochID])
        /// The store's cursor at an earlier position, worked out from one before it. Answer with
        /// `cursor`.
        case cursor(at: UInt64, behind: LogCursor)
        /// Answer with `rewound`.
        case rewind(to: LogCursor)
        /// Answer with `debts`.
        case loadDebts(limit: Int)
        /// Answer with `applied`, or with `cursorMoved` where the store has gone on by itself.
        case repair([RecordImage], at: CausalContext.Prefix)
        /// Take the zone's state whole at the next chance, over a restart too. Answer with `noted`.
        case wantSnapshot
        /// Keep a chunk. Answer with `staged`.
        case stage([UInt8], number: UInt64, of: StagedSnapshot)
        /// Answer with `applied`, also where what had come was thrown away, or with `cursorMoved`,
        /// also where something has to be pushed first.
        case loadSnapshot(isPushBlocked: Bool)
        /// The log's branch of a history is beneath its horizon, so the store's takes another
        /// name. Answer with `rewritten`.
        case yieldName(Dot, to: Digest)
        /// The log's form of pushed sets is beneath its horizon. Answer with `rewritten`.
        case takeForms([Acknowledged], beneath: CausalContext.Prefix)
        /// Unpushed sets whose time is later get the least that keeps their order. Answer with
        /// `restamped`.
        case restamp(above: HybridTimestamp, clockOffsetMilliseconds: Int64)
        /// Sets that the zone lacks and that another depends on. Answer with `supplied`.
        case supply(MissingSets)
        /// What the zone has in ranges, against what the store has there. Answer with `compared`,
        /// or with `cursorMoved` where the store does not hold exactly the log up to the place.
        case compare([ComparedRange], at: CausalContext.Prefix)
        /// Records that turned out to differ. Answer with `owed`.
        case owe([RecordID])
    }

    package enum Event: Sendable {
        case received([UInt8])
        case refused(ProtocolError, retryAfter: Duration?)
        case failed(SyncError)
        case applied(SyncState)
        case cursorMoved(SyncState)
        case lacking(LackingPart)
        case kept
        /// `nil` where the store has the save no more in this form.
        case piece(PartPiece?)
        case loaded([LogEntry], SyncState)
        case acknowledged(SyncState)
        case renewed
        case noted(SyncState)
        /// `nil` where the store's log no longer tells.
        case cursor(LogCursor?)
        case rewound(SyncState)
        case debts([RecordID])
        case restamped
        /// `nil` where nothing was to be done.
        case rewritten(SyncState?)
        case staged(SyncState)
        /// Empty where the store holds them as the zone's: then the zone contradicts itself.
        case supplied([LogEntry])
        case compared(StateComparison)
        case owed(SyncState)
        case storeFailed(SyncError)
        case waited
    }

    package enum Ending: Sendable {
        /// Everything that the zone had is here; ``SyncOutcome/blockedBy`` tells why a push
        /// stopped.
        case done(SyncOutcome)
        /// The exchange broke off; what was done before stays.
        case failed(SyncError)
    }

    /// What a step may depend on besides the event, so that the session has no clock and draws
    /// no numbers itself.
    package struct Moment: Sendable {
        /// The client's clock, since 1970-01-01 UTC.
        package var wallMilliseconds: Int64
        /// A random number, for the jitter of back-off.
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
    /// A piece of a part on its way to the zone.
    case stage
    /// One on its way from it.
    case part
}

/// What is known of the zone from one exchange to the next, in the engine's life.
package struct ZoneKnowledge: Hashable, Sendable {
    package var epoch: EpochID
    /// Bytes of a request's body, after decompression.
    package var largestBody: Int
    /// What to add to the client's clock to have the server's.
    package var clockOffsetMilliseconds: Int64

    package init(epoch: EpochID, largestBody: Int, clockOffsetMilliseconds: Int64) {
        self.epoch = epoch
        self.largestBody = largestBody
        self.clockOffsetMilliseconds = clockOffsetMilliseconds
    }
}
