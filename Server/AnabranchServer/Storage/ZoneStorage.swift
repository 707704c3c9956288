package import AnabranchReplication

/// Stores one zone's log and merged state.
///
/// A back end provides rows and transactions; the code above it checks and merges. Every back end
/// passes the same conformance tests.
package protocol ZoneStorage: Sendable {
    /// Runs `body` on one consistent state of the zone, concurrently with a writer and other
    /// readers.
    func read<Result>(_ body: (any ZoneReading) throws -> Result) throws -> Result

    /// Runs `body` in the zone's one write transaction, which is durable when this returns.
    ///
    /// `body` may run more than once if the transaction can be repeated; only the last run counts.
    ///
    /// - Parameter needs: The parts of the zone that `body` will probably ask for. A back end may
    ///   read all of them at once, and reads anything else when it is asked for.
    ///
    /// - Throws: An error of `body`, or the failure of the commit; nothing is kept. After
    ///   ``StorageError`` `unavailable` the result is unknown, and the caller retries.
    func write<Result>(
        _ needs: ZoneNeeds, _ body: (any ZoneWriting) throws -> Result
    ) throws -> Result

    /// Ends the work when the server stops: transactions then throw ``StorageError`` `closed`.
    var stop: StopSignal { get }

    /// Descriptions of damage in the files, as far as the back end can find it; empty if there is
    /// none.
    ///
    /// The work grows with the zone.
    func damage() throws -> [String]

    /// The bytes of the zone's file; `nil` if it has no file of its own.
    var fileBytes: Int64? { get }

    /// The snapshots of the zone. They can be created again at any time.
    var snapshots: any SnapshotStorage { get }

    /// Waits for running work and releases files and connections. A second call has no effect.
    func close()
}

extension ZoneStorage {
    package var fileBytes: Int64? { nil }

    func write<Result>(_ body: (any ZoneWriting) throws -> Result) throws -> Result {
        try write(ZoneNeeds(), body)
    }
}

/// The parts of a zone's log and state that a transaction will probably ask for.
package struct ZoneNeeds: Hashable, Sendable {
    /// The replicas with their heads and ordinals.
    package var replicas: Set<ReplicaID> = []
    /// Places of the log, by origin and by dot; of the causes of a change set, the first
    /// `causeLimit`.
    package var origins: Set<Digest> = []
    package var dots: Set<Dot> = []
    /// Records of the merged state; not more than `recordLimit`.
    package private(set) var records: Set<RecordID> = []

    /// The greatest number of records, so that they do not fill the memory.
    package static let recordLimit = 2000
    /// The greatest number of places that are needed for the causes of one change set.
    package static let causeLimit = 1000

    package init() {}

    package mutating func add(_ records: some Sequence<RecordID>) {
        for record in records {
            guard self.records.count < Self.recordLimit else { return }
            self.records.insert(record)
        }
    }

    package mutating func formUnion(_ other: ZoneNeeds) {
        replicas.formUnion(other.replicas)
        origins.formUnion(other.origins)
        dots.formUnion(other.dots)
        add(other.records)
    }
}

/// The parts of saves that are not pushed yet.
package struct StagedParts: Hashable, Sendable {
    package var count = 0
    /// The number of bytes that are held of them.
    package var byteCount = 0
}

/// Reads one consistent state of a zone.
package protocol ZoneReading {
    func logState() throws -> LogState

    /// The cursor after the entry at a position, in the present epoch.
    ///
    /// - Returns: `nil` beyond the head.
    func cursor(at position: UInt64) throws -> LogCursor?

    /// The place of the log's entry with this origin, under any dot; `nil` if there is none. The
    /// entry may be a void.
    func place(ofOrigin origin: Digest) throws -> ZoneLogLocation?
    func place(of dot: Dot) throws -> ZoneLogLocation?

    /// The last change set that is held of a replica; `nil` if there is none.
    func head(of replica: ReplicaID) throws -> ReplicaHead?

    /// Encoded change sets after a position, in order.
    ///
    /// They are as many as the limit allows, and at least one if there is one. The work is
    /// proportional to the result.
    func changeSets(after position: UInt64, byteLimit: Int) throws -> LogPage

    /// The bytes of the encoded change set at a position, without reading it; zero if there is
    /// none.
    func byteCount(ofChangeSetAt position: UInt64) throws -> Int

    /// The bytes of the log's change sets and of the parts that they list, without reading them.
    ///
    /// The work is proportional to the number of entries.
    func logByteCount() throws -> Int64

    /// Calls `body` with every record of the merged state, including dead ones, sorted by identity.
    func forEachRecord(_ body: (CanonicalRecord) throws -> Void) throws

    /// Calls `body` with the records of a range in ascending order, until it returns false.
    ///
    /// - Parameters:
    ///   - reserve: Called before values and links are read, with a record and the size of what is
    ///     then in memory. An error that it throws ends the reading.
    ///   - body: Receives the identity, and a function that reads the record and throws if its rows
    ///     are damaged.
    ///
    /// - Returns: True if `body` returned true for every record of the range.
    @discardableResult
    func forEachRecord(
        in range: RecordRange, reserving reserve: @escaping (RecordID, ImageSize) throws -> Void,
        _ body: (RecordID, _ read: () throws -> CanonicalRecord) throws -> Bool
    ) throws -> Bool

    /// The number of records in a range, counted up to a limit.
    func recordCount(in range: RecordRange, limit: Int) throws -> Int

    /// The stored checksum of the merged state, without reading the state.
    func checksum() throws -> StateChecksum

    /// Calls `body` with every record, without its links, in any order.
    func forEachRow(_ body: (CanonicalRecord) throws -> Void) throws

    /// Calls `body` with every link; the links of one left record are consecutive.
    func forEachLink(_ body: (WireProperty, SnapshotChunk.Link) throws -> Void) throws

    /// Calls `body` with the last change set that is held of each replica.
    func forEachHead(_ body: (SnapshotChunk.Head) throws -> Void) throws

    /// At most `limit` records that died at a position or before it, and have been dead since then.
    func deadRecords(through position: UInt64, limit: Int) throws -> [(WireName, RecordID)]

    /// One record of the merged state with all its links, or the statement that it is not held.
    func image(of record: RecordID) throws -> RecordImage

    /// The size of a record's image, without reading its values and links.
    ///
    /// - Parameter linkLimit: The greatest number of links in each direction that are counted.
    func imageSize(of record: RecordID, linkLimit: Int) throws -> ImageSize

    func linkCount() throws -> Int64

    /// Counts the rows, without reading values.
    func counts() throws -> ZoneCounts

    /// The quotas that the zone has of its own.
    func quotas() throws -> ZoneQuotas
    /// The amounts that the zone uses, without reading log or state.
    func use() throws -> ZoneUse

    /// The positions up to which replicas have acknowledged the log and when they were seen, as
    /// far as that was written.
    func acknowledgements() throws -> [ReplicaID: Acknowledgement]

    /// Calls `body` with all rows of the zone, some at a time: names first, then log, state and
    /// parts. Staged parts are left out.
    func forEachRows(_ body: (ZoneRows) throws -> Void) throws

    /// The number of bytes held of a part from its beginning, in the log or staged.
    ///
    /// A part that is held completely was compared with its digest.
    func heldBytes(of part: SavePart) throws -> Int
    /// True if a save of the log lists the part.
    func isInLog(_ part: SavePart) throws -> Bool
    /// Calls `body` with the held bytes of a part, in order.
    func forEachPiece(of part: SavePart, _ body: ([UInt8]) throws -> Void) throws
    /// Bytes of a part from an offset; empty if none are held there.
    func piece(of part: SavePart, from start: Int) throws -> [UInt8]
    /// The parts that no save of the log lists.
    ///
    /// The work is proportional to their number.
    func staged() throws -> StagedParts
}

/// Writes a zone's state within the one write transaction.
///
/// Rows name replicas, entities and properties by numbers of the zone; the first use of a name
/// assigns its number.
package protocol ZoneWriting: ZoneReading {
    /// Runs `body` and undoes only its changes if it throws.
    func atomically<Result>(_ body: () throws -> Result) throws -> Result

    /// Appends an entry to the log and records it as the last one of its replica.
    func append(_ entry: ZoneLogEntry) throws

    /// Removes the payloads of the log's entries up to a position; their names stay.
    func forgetChangeSets(through position: UInt64) throws

    /// Records the positions up to which replicas have acknowledged the log.
    func acknowledge(_ positions: [ReplicaID: Acknowledgement]) throws

    /// The ordinal of a replica, assigned if it is new.
    ///
    /// - Throws: ``StorageError`` `tooManyReplicas` if row keys have no room for another.
    func ordinal(of replica: ReplicaID) throws -> Int64
    func replica(at ordinal: Int64) throws -> ReplicaID
    func number(ofEntity name: WireName) throws -> Int64
    func number(ofProperty property: WireProperty) throws -> Int64
    func property(at number: Int64) throws -> WireProperty

    /// Inserts rows.
    ///
    /// - Throws: ``StorageError`` `recordHeld` if the zone holds one of the records.
    func insert(_ rows: [StateRow]) throws
    /// The held rows of the first keys, including those of dead records.
    ///
    /// - Parameters:
    ///   - keys: The keys of the rows, each once.
    ///   - byteLimit: The greatest number of bytes of the rows' values together, so that few keys
    ///     can't take much memory. A single row may have more.
    ///   - reserve: Called with the bytes of such a row before its values are read. An error that
    ///     it throws ends the reading.
    ///
    /// - Returns: The rows, and the number of the keys that were looked up; at least one.
    func rows(
        for keys: [RecordKey], byteLimit: Int, reserving reserve: (Int) throws -> Void
    ) throws -> (rows: [RecordKey: StateRow], keyCount: Int)
    /// The number of each held record's entity, dead or alive.
    func entities(of keys: [RecordKey]) throws -> [RecordKey: Int64]
    /// Replaces the cells and the delete mark of held rows. The rest of a row must be as it is
    /// held.
    func replace(_ rows: [StateRow]) throws
    /// Removes records, and all links from or to them.
    ///
    /// - Parameter body: Receives each removed link once, with its encoded tags.
    func remove(_ keys: [RecordKey], _ body: (LinkKey, [UInt8]) throws -> Void) throws

    /// The encoded tags of the first links. The result has no entry for a link that the zone does
    /// not hold.
    ///
    /// - Parameters:
    ///   - links: The links, each once.
    ///   - byteLimit: The greatest number of bytes of the tags together, unless a single link has
    ///     more.
    ///
    /// - Returns: The tags, and the number of the links that were looked up; at least one.
    func tags(
        of links: [LinkKey], byteLimit: Int
    ) throws -> (tags: [LinkKey: [UInt8]], keyCount: Int)
    /// Replaces the encoded tags of links; `nil` removes a link.
    func put(_ tags: [LinkKey: [UInt8]?]) throws

    /// Appends a piece to a staged part, or starts to stage it.
    func append(
        _ piece: [UInt8], to part: SavePart, at start: Int, wallMilliseconds: Int64) throws
    /// Records complete parts as those of the save at a position of the log.
    func putInLog(_ parts: [SavePart], at position: UInt64) throws
    /// Removes staged parts, unless the log lists them.
    func dropStaged(_ parts: [SavePart]) throws
    /// Removes the staged parts to which no client has added since a time.
    func dropStaged(untouchedSince wallMilliseconds: Int64) throws

    /// Replaces the zone's own quotas.
    func setQuotas(_ quotas: ZoneQuotas) throws
    /// Sets the bytes that were pushed on a day, in days since 1970-01-01 UTC.
    func setPushed(_ bytes: Int64, on day: Int64) throws

    /// Replaces the running counters of bytes and records.
    func setUse(_ counts: ZoneCounts) throws

    /// Stores another checksum of the merged state.
    func setChecksum(_ checksum: StateChecksum) throws

    /// Removes everything but the zone's epochs, so that rows of a copy can be inserted.
    func removeAll() throws
    /// Inserts rows of a copy; the zone must have none with the same keys.
    func insert(_ rows: ZoneRows) throws
    /// Begins an epoch at the end of the log.
    func beginEpoch(_ epoch: EpochID) throws
    /// Replaces the epochs, the greatest timestamp and the first position of the log.
    func setLog(_ state: LogState) throws
}
