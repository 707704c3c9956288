package import AnabranchReplication

/// Where one zone's log and merged state are kept.
///
/// A back end keeps rows and transactions; what is right, and what merges how, is decided above
/// it. Every back end passes the same conformance tests.
package protocol ZoneStorage: Sendable {
    /// Runs `body` over one consistent state of the zone, beside a writer and other readers.
    func read<Result>(_ body: (any ZoneReading) throws -> Result) throws -> Result

    /// Runs `body` in the zone's one write transaction, which is durable when this returns.
    ///
    /// - Throws: What `body` throws, or the failure of the commit: nothing of it is kept, except
    ///   that after a failure of the connection itself the caller cannot know, and asks again.
    func write<Result>(_ body: (any ZoneWriting) throws -> Result) throws -> Result

    /// What is wrong with the files themselves, as far as the back end can tell; empty where
    /// nothing is. The work grows with the zone.
    func damage() throws -> [String]

    /// Where snapshots of the zone are kept. They can be made anew at any time.
    var snapshots: any SnapshotStorage { get }

    /// Ends what runs and gives back files and connections. Closing twice is harmless.
    func close()
}

/// What can be asked of one state of a zone.
package protocol ZoneReading {
    func logState() throws -> LogState

    /// - Returns: The cursor behind the entry at a position, in the present epoch; `nil` beyond
    ///   the head.
    func cursor(at position: UInt64) throws -> LogCursor?

    /// Where the log holds the save of this origin, under whatever dot.
    func place(ofOrigin origin: Digest) throws -> LogPlace?
    func place(of dot: Dot) throws -> LogPlace?

    /// The last set that is held of a replica; `nil` where none is.
    func head(of replica: ReplicaID) throws -> ReplicaHead?

    /// Encoded sets behind a position, in order: as many as the limit holds, and at least one
    /// where there is one. The work is proportional to what is returned.
    func changeSets(after position: UInt64, byteLimit: Int) throws -> LogPage

    /// Every record of the merged state, the dead ones too, in ascending order of identity.
    func forEachRecord(_ body: (CanonicalRecord) throws -> Void) throws

    /// The records of a range in ascending order, until `body` returns false.
    ///
    /// - Parameter body: Gets the identity, and what reads the record and throws where its rows
    ///   are damaged.
    /// - Returns: Whether every record of the range was given and taken.
    @discardableResult
    func forEachRecord(
        in range: RecordRange,
        _ body: (RecordID, _ read: () throws -> CanonicalRecord) throws -> Bool
    ) throws -> Bool

    /// How many records a range has, counted no further than to a limit.
    func recordCount(in range: RecordRange, limit: Int) throws -> Int

    /// The checksum of the merged state as it is kept, without looking at the state.
    func checksum() throws -> StateChecksum

    /// The same records without their links, in any order.
    func forEachRow(_ body: (CanonicalRecord) throws -> Void) throws

    /// Every link, those of one left record one after the other.
    func forEachLink(_ body: (WireProperty, SnapshotChunk.Link) throws -> Void) throws

    /// The last set that is held of each replica.
    func forEachHead(_ body: (SnapshotChunk.Head) throws -> Void) throws

    /// Records that were dead behind a position and are so still, a number of them at most.
    func deadRecords(through position: UInt64, limit: Int) throws -> [(WireName, RecordID)]

    /// One record of the merged state with all its links, or that it is not held.
    func image(of record: RecordID) throws -> RecordImage

    func counts() throws -> ZoneCounts

    /// How much of a part is held, from its beginning on, in the log or staged. What is held whole
    /// was compared with its digest.
    func heldBytes(of part: SavePart) throws -> Int
    /// Whether a save of the log lists the part.
    func isInLog(_ part: SavePart) throws -> Bool
    /// What is held of a part, in order.
    func forEachPiece(of part: SavePart, _ body: ([UInt8]) throws -> Void) throws
    /// Bytes of a part from a place on; empty where none are held there.
    func piece(of part: SavePart, from start: Int) throws -> [UInt8]
    /// Bytes of parts that no save of the log lists.
    func stagedBytes() throws -> Int
}

/// What the one write transaction can do besides.
///
/// Rows name replicas, entities and properties by small numbers of the zone's own, which the
/// first mention makes.
package protocol ZoneWriting: ZoneReading {
    /// Runs `body`; what it did is undone where it throws, and only that.
    func atomically<Result>(_ body: () throws -> Result) throws -> Result

    /// Adds an entry at the end of the log and makes it its replica's head.
    func append(_ entry: LogEntry) throws

    /// Forgets the sets of the first entries of the log that are not forgotten yet, but not their
    /// names.
    func forgetChangeSets(through position: UInt64) throws

    /// Records how far replicas have taken in the log.
    func acknowledge(_ positions: [ReplicaID: UInt64]) throws

    /// - Throws: ``ZoneStorageError`` `tooManyReplicas` where a row key has no room for another.
    func ordinal(of replica: ReplicaID) throws -> Int64
    func replica(at ordinal: Int64) throws -> ReplicaID
    func number(ofEntity name: WireName) throws -> Int64
    func number(ofProperty property: WireProperty) throws -> Int64
    func property(at number: Int64) throws -> WireProperty

    /// - Throws: ``ZoneStorageError`` `recordHeld` where one of the keys is held.
    func insert(_ rows: [StateRow]) throws
    /// - Returns: The rows that are held, by key, those of dead records among them.
    func rows(for keys: [RecordKey]) throws -> [RecordKey: StateRow]
    /// - Returns: The number of the entity of each record that is held, dead or alive.
    func entities(of keys: [RecordKey]) throws -> [RecordKey: Int64]
    /// Replaces the cells of rows that are held, and what tells whether they are dead.
    func replace(_ rows: [StateRow]) throws
    /// Removes records with the links of which they are an end.
    ///
    /// - Returns: Those links, with their encoded tags, each once.
    @discardableResult
    func remove(_ keys: [RecordKey]) throws -> [LinkKey: [UInt8]]

    /// - Returns: The encoded tags of the links that are held.
    func tags(of links: [LinkKey]) throws -> [LinkKey: [UInt8]]
    func put(_ tags: [UInt8], on link: LinkKey) throws
    func remove(_ link: LinkKey) throws

    /// Adds a piece to a staged part, or begins to stage it.
    func append(
        _ piece: [UInt8], to part: SavePart, at start: Int, wallMilliseconds: Int64) throws
    /// Makes parts that are held whole those of the save at a position of the log.
    func putInLog(_ parts: [SavePart], at position: UInt64) throws
    /// Forgets staged parts, unless the log lists them.
    func dropStaged(_ parts: [SavePart]) throws
    /// Forgets the staged parts that nobody has gone on with since a time.
    func dropStaged(untouchedSince wallMilliseconds: Int64) throws

    /// Keeps another checksum of the merged state.
    func setChecksum(_ checksum: StateChecksum) throws
}
