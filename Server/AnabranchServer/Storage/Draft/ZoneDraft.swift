import AnabranchReplication

/// A zone as its one write transaction leaves it so far.
///
/// The draft holds the rows that the transaction has read and those that it has changed, each in
/// one place, and the zone's row with its counters. The storage reads rows by their keys, and gets
/// the changes as one list with the commit, so that a transaction costs few statements, whatever
/// it changes. Changes are written earlier if they take much memory together with what was read,
/// or if a statement has to see them.
///
/// Rows name replicas, entities and properties by numbers of the zone; the first use of a name
/// assigns its number.
package final class ZoneDraft {
    /// Reads the rows without the changes that wait, except those of parts of saves, which never
    /// wait.
    package let stored: any ZoneWriting
    let names: ZoneNameCache
    let greatestOrdinal: Int64
    /// The zone's row as it will be, if nothing else changes.
    var row: ZoneRow

    let memory = DraftMemory()
    let replicas: DraftTable<ReplicaID, ReplicaRow>
    let entities: DraftTable<WireName, Int64>
    let properties: DraftTable<WireProperty, Int64>
    let log: DraftTable<UInt64, LogRow>
    let places: DraftTable<Digest, ZoneLogLocation>
    let placesByDot: DraftTable<Dot, ZoneLogLocation>
    let records: DraftTable<RecordKey, HeldRecord>
    let links: DraftTable<LinkKey, [UInt8]>
    let acknowledgements: DraftTable<ReplicaID, Acknowledgement>
    private let tables: [any DraftPart]

    /// The values, and the blocks of 256 bytes, of the rows and links that were read to be changed.
    /// To decode, sum and write one takes some microseconds.
    package private(set) var changedAmount = 0

    /// Numbers of names from these on are not written. So there are no rows of such a replica.
    var unwritten: NextNumbers
    private var isAtomic = false
    /// True if changes of the present atomic part were written, after a savepoint.
    private var hasSavepoint = false

    /// Creates the draft of a transaction that has changed nothing yet.
    ///
    /// - Parameter row: The zone's row.
    init(
        _ stored: any ZoneWriting, row: ZoneRow, names: ZoneNameCache, greatestOrdinal: Int64
    ) {
        self.stored = stored
        self.row = row
        self.names = names
        self.greatestOrdinal = greatestOrdinal
        unwritten = row.next
        replicas = DraftTable(memory)
        entities = DraftTable(memory) { _ in Limits.longestName }
        properties = DraftTable(memory) { _ in Limits.longestName }
        log = DraftTable(memory) { $0.changeSet.count }
        places = DraftTable(memory)
        placesByDot = DraftTable(memory)
        records = DraftTable(memory) { Int($0.values?.countedBytes ?? 0) }
        links = DraftTable(memory) { $0.count }
        acknowledgements = DraftTable(memory)
        tables = [
            replicas, entities, properties, log, places, placesByDot, records, links,
            acknowledgements,
        ]
    }

    func countChanged(values: Int, byteCount: Int) { changedAmount += values + byteCount / 256 }

    // MARK: Writing

    /// Writes the changes and forgets what was read if both take much memory.
    ///
    /// It is called before an operation, never within one: what the operation has read of a row
    /// says if a change inserts or updates the row.
    func makeRoom() throws {
        guard memory.byteCount > DraftMemory.limit else { return }
        try send()
        forget()
    }

    func forget() { for table in tables { table.forget() } }

    /// The zone's reader, which sees all changes so far.
    package func sent() throws -> any ZoneReading {
        try send()
        try stored.replace(row)
        return stored
    }

    /// Writes the changes that wait, so that statements see them.
    ///
    /// What is written within an atomic part is written after a savepoint, and the changes before
    /// the part in front of it.
    func send() throws {
        if isAtomic, !hasSavepoint {
            for table in tables { table.stepBack() }
            try stored.write(takeChanges())
            try stored.beginPart()
            hasSavepoint = true
            for table in tables { table.stepForward() }
        }
        try stored.write(takeChanges())
        unwritten = row.next
    }

    /// Returns the changes that wait, and counts them as written.
    func takeChanges() -> ZoneChanges {
        var changes = ZoneChanges()
        changes.add(replicas.takeChanges { $1 }) { .replicas($0) }
        changes.add(entities.takeChanges { ($1, $0) }) { .entities($0) }
        changes.add(properties.takeChanges { ($1, $0) }) { .properties($0) }
        changes.add(log.takeChanges { $1 }) { .entries($0) }
        log.forget()
        _ = places.takeChanges { $1 }
        _ = placesByDot.takeChanges { $1 }
        changes.removedRecords = changes.add(records.takeChanges { $1.recordRow }) { .records($0) }
        changes.removedLinks = changes.add(links.takeChanges { ($0, $1) }) { .links($0) }
        changes.add(acknowledgements.takeChanges { ($0, $1) }) { .acknowledgements($0) }
        return changes
    }

    /// Runs `body` and undoes only its changes if it throws.
    package func atomically<Result>(_ body: () throws -> Result) throws -> Result {
        precondition(!isAtomic, "an atomic part has no atomic parts")
        for table in tables { table.keep() }
        let before = row
        isAtomic = true
        defer {
            isAtomic = false
            hasSavepoint = false
        }
        do {
            let result = try body()
            if hasSavepoint { try stored.endPart() }
            return result
        } catch {
            if row.next != before.next { names.forget() }
            row = before
            if hasSavepoint {
                forget()
                unwritten = row.next
                try stored.undoPart(after: error)
            } else {
                for table in tables { table.undo() }
            }
            throw error
        }
    }
}
