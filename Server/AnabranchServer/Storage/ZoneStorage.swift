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
        _ needs: ZoneNeeds, _ body: (ZoneDraft) throws -> Result
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

    func write<Result>(_ body: (ZoneDraft) throws -> Result) throws -> Result {
        try write(ZoneNeeds(), body)
    }
}

/// The parts of a zone's log and state that a transaction will probably ask for. They may be named
/// more than once.
package struct ZoneNeeds: Sendable {
    /// The replicas with their heads and ordinals.
    package var replicas: [ReplicaID] = []
    /// Places of the log, by origin and by dot; of the causes of a change set, the first
    /// `causeLimit`.
    package var origins: [Digest] = []
    package var dots: [Dot] = []
    /// Records of the merged state; not more than `recordLimit`.
    package private(set) var records: [RecordID] = []

    /// The greatest number of records, so that they do not fill the memory.
    package static let recordLimit = 2000
    /// The greatest number of places that are needed for the causes of one change set.
    package static let causeLimit = 1000

    package init() {}

    var isEmpty: Bool {
        replicas.isEmpty && origins.isEmpty && dots.isEmpty && records.isEmpty
    }

    package mutating func add(_ records: some Sequence<RecordID>) {
        self.records += records.prefix(Self.recordLimit - self.records.count)
    }

    package mutating func add(_ other: ZoneNeeds) {
        replicas += other.replicas
        origins += other.origins
        dots += other.dots
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
    /// The numbers of names that were read.
    var names: ZoneNameCache { get }
    /// The number of names that are read together.
    var namesTogether: Int64 { get }

    /// The zone's row, which has its counters and the state of its log.
    func zoneRow() throws -> ZoneRow

    /// The cursor after the entry at a position, in the present epoch.
    ///
    /// - Returns: `nil` beyond the head.
    func cursor(at position: UInt64) throws -> LogCursor?

    /// The place of the log's entry with this origin, under any dot; `nil` if there is none. The
    /// entry may be a void.
    func place(ofOrigin origin: Digest) throws -> ZoneLogLocation?
    func place(of dot: Dot) throws -> ZoneLogLocation?

    /// The row of a replica; `nil` if the zone does not know the replica.
    func replicaRow(of replica: ReplicaID) throws -> ReplicaRow?

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

    /// Calls `body` with the records of a range, including dead ones, in ascending order, until it
    /// returns false.
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

    /// Calls `body` with the rows of a table, in the order of their keys and with the table's
    /// columns.
    ///
    /// - Parameter keys: The range of the first column, which is a number.
    func forEachRow(
        of table: ZoneTable, in keys: ClosedRange<Int64>,
        _ body: (any StoredColumns) throws -> Void) throws

    /// Calls `body` with the links to a record, in the order of their keys and with the columns of
    /// the table.
    func forEachLink(to right: RecordKey, _ body: (any StoredColumns) throws -> Void) throws

    /// Calls `body` with the last change set that is held of each replica.
    func forEachHead(_ body: (SnapshotChunk.Head) throws -> Void) throws

    /// At most `limit` records that died at a position or before it, and have been dead since then.
    func deadRecords(through position: UInt64, limit: Int) throws -> [(WireName, RecordID)]

    /// The size of a record's image, without reading its values and links.
    ///
    /// - Parameter linkLimit: The greatest number of links in each direction that are counted.
    func imageSize(of record: RecordID, linkLimit: Int) throws -> ImageSize

    func linkCount() throws -> Int64

    /// Counts the rows, without reading values.
    func counts() throws -> ZoneCounts

    /// The positions up to which replicas have acknowledged the log and when they were seen, as
    /// far as that was written.
    func acknowledgements() throws -> [ReplicaID: Acknowledgement]

    /// The parts that the saves of the log list.
    func logParts() throws -> [(part: SavePart, position: UInt64)]
    /// The number of bytes held of a part from its beginning, in the log or staged.
    ///
    /// A part that is held completely was compared with its digest.
    func heldBytes(of part: SavePart) throws -> Int
    /// True if a save of the log lists the part.
    func isInLog(_ part: SavePart) throws -> Bool
    /// Bytes of a part from an offset; empty if none are held there.
    func piece(of part: SavePart, from start: Int) throws -> [UInt8]
    /// The parts that no save of the log lists.
    ///
    /// The work is proportional to their number.
    func staged() throws -> StagedParts

    func damaged(_ cause: String) -> StorageError
}

extension ZoneReading {
    func logState() throws -> LogState { try zoneRow().logState }
    /// The stored checksum of the merged state, without reading the state.
    func checksum() throws -> StateChecksum { try zoneRow().checksum }
    /// The quotas that the zone has of its own.
    func quotas() throws -> ZoneQuotas { try zoneRow().quotas }
    /// The amounts that the zone uses, without reading log or state.
    func use() throws -> ZoneUse { try zoneRow().use }
}

/// Reads and writes the rows of a zone within its one write transaction, for a ``ZoneDraft``.
///
/// It reads what was written, and nothing of the changes that wait in the draft.
package protocol ZoneWriting: ZoneReading {
    /// The number of an entity; `nil` if the zone has assigned none.
    func number(heldForEntity name: WireName) throws -> Int64?
    func number(heldForProperty property: WireProperty) throws -> Int64?

    /// The held records of keys, including dead ones.
    ///
    /// - Parameters:
    ///   - keys: The keys, each once.
    ///   - valueBytes: The bytes up to which the values of the first records are read too.
    func records(for keys: [RecordKey], valueBytes: Int) throws -> [RecordKey: HeldRecord]
    func values(of keys: [RecordKey]) throws -> [StateRow]
    /// The encoded tags of the first links; `nil` for a link that the zone does not hold.
    ///
    /// - Parameter byteLimit: The greatest number of bytes of the tags together, unless the first
    ///   link that is held has more.
    ///
    /// - Returns: No entry for links beyond the limit.
    func tags(of links: [LinkKey], byteLimit: Int) throws -> [LinkKey: [UInt8]?]
    /// Calls `body` with all links from or to records, some at a time, also if `body` removes them.
    /// A link between two of the records may be given twice, until it is removed.
    func forEachLinks(
        at keys: [RecordKey], _ body: ([(link: LinkKey, tags: [UInt8])]) throws -> Void) throws

    func write(_ changes: ZoneChanges) throws
    /// Replaces the zone's row, with the commit at the latest.
    func replace(_ row: ZoneRow) throws
    /// Removes all rows but the zone's own.
    func removeAll() throws

    /// Begins a part of the transaction that can be undone, after what was written so far.
    func beginPart() throws
    func endPart() throws
    /// Undoes what was written since `beginPart`, unless the error has ended the transaction.
    func undoPart(after error: any Error) throws

    /// Removes the payloads of the log's entries between two positions, and parts that only these
    /// list.
    ///
    /// - Returns: The number of removed bytes.
    func forgetChangeSets(after start: UInt64, through position: UInt64) throws -> Int64
    /// Appends a piece to a staged part, or starts to stage it.
    func append(
        _ piece: [UInt8], to part: SavePart, at start: Int, wallMilliseconds: Int64) throws
    /// Records complete parts as those of the save at a position of the log.
    func putInLog(_ parts: Set<SavePart>, at position: UInt64) throws
    /// Removes staged parts, and their bytes unless the log lists them.
    ///
    /// - Returns: The number of removed bytes.
    func dropStaged(_ parts: Set<SavePart>) throws -> Int64
    /// The staged parts to which no client has added since a time.
    func staged(untouchedSince wallMilliseconds: Int64) throws -> [SavePart]
}
