import AnabranchReplication
import AnabranchSQLite

/// The tables of a zone's file.
///
/// - `zone`: one row. `greatest` is the log's greatest timestamp. `identity` is that of the file in
///   which the present epoch began. `start` is the position of the last compacted entry. `checksum`
///   is that of the merged state, 40 bytes. `bytes` and `records` are the used amounts of these
///   quotas (`ZoneQuotas`), `day_bytes` are those of the day `day`. A quota is NULL if the server's
///   default holds, and −1 if there is no limit.
/// - `epoch`: the epochs of the log, oldest first, with the position at which each branched from
///   the previous one.
/// - `log`: every entry, by position. `running` is the running digest after the entry. Origins are
///   kept forever, even if `change_set` is empty because a snapshot replaces it.
/// - `replica`: numbers the replicas that the zone knows. `sequence` and `origin` are those of the
///   last change set held; they are 0 and NULL for a replica that is only mentioned.
/// - `record`, `link`: the merged state; `key`, `left` and `right` are `ordinal << 40 | number`.
///   `seen` is the stamps that deletes under `updateWins` had seen, NULL without such a delete.
///   `dead` is 0 while the record is alive, otherwise the position of the entry after which it was
///   dead.
/// - `part`: parts of saves, in pieces. `size` is the size of the whole part, as it was announced;
///   a complete part has the digest `digest`. `log_part` lists the saves of the log that contain a
///   part. `stage` lists the parts without a save, and when a client last added to them.
/// - `acknowledgement`: the position up to which each replica has acknowledged the log, and when it
///   was last seen.
enum ZoneSchema {
    /// "AbZn", by which tools such as `file` recognize a zone's file.
    static let applicationID: Int64 = 0x4162_5A6E

    static let tables = TableFormat(
        creation: """
            CREATE TABLE zone(
                id INTEGER PRIMARY KEY CHECK (id = 1), identity BLOB NOT NULL,
                greatest INTEGER NOT NULL, start INTEGER NOT NULL, checksum BLOB NOT NULL,
                bytes INTEGER NOT NULL DEFAULT 0, records INTEGER NOT NULL DEFAULT 0,
                day INTEGER NOT NULL DEFAULT 0, day_bytes INTEGER NOT NULL DEFAULT 0,
                quota_bytes INTEGER, quota_records INTEGER, quota_replicas INTEGER,
                quota_daily_bytes INTEGER);
            CREATE TABLE epoch(
                ordinal INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, fork INTEGER NOT NULL);
            CREATE TABLE replica(
                ordinal INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,
                sequence INTEGER NOT NULL DEFAULT 0, origin BLOB);
            CREATE TABLE acknowledgement(
                replica BLOB PRIMARY KEY, position INTEGER NOT NULL,
                seen INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
            CREATE TABLE log(
                position INTEGER PRIMARY KEY, kind INTEGER NOT NULL, replica INTEGER NOT NULL,
                sequence INTEGER NOT NULL, timestamp INTEGER NOT NULL, origin BLOB NOT NULL,
                digest BLOB NOT NULL, running BLOB NOT NULL, change_set BLOB NOT NULL);
            CREATE UNIQUE INDEX log_origin ON log(origin);
            CREATE UNIQUE INDEX log_dot ON log(replica, sequence);
            CREATE TABLE entity(number INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE);
            CREATE TABLE property(
                number INTEGER PRIMARY KEY, name BLOB NOT NULL, type INTEGER NOT NULL,
                rule INTEGER NOT NULL, UNIQUE(name, type, rule));
            CREATE TABLE record(
                key INTEGER PRIMARY KEY, entity INTEGER NOT NULL, timestamp INTEGER NOT NULL,
                author INTEGER NOT NULL, cells BLOB NOT NULL, seen BLOB,
                dead INTEGER NOT NULL DEFAULT 0);
            CREATE INDEX record_dead ON record(dead) WHERE dead;
            CREATE TABLE link(
                left INTEGER NOT NULL, property INTEGER NOT NULL, right INTEGER NOT NULL,
                tags BLOB NOT NULL, PRIMARY KEY (left, property, right)) WITHOUT ROWID;
            CREATE INDEX link_right ON link(right);
            CREATE TABLE part(
                id INTEGER PRIMARY KEY, digest BLOB NOT NULL, size INTEGER NOT NULL,
                start INTEGER NOT NULL, bytes BLOB NOT NULL, UNIQUE(digest, size, start));
            CREATE TABLE log_part(
                digest BLOB NOT NULL, size INTEGER NOT NULL, position INTEGER NOT NULL,
                PRIMARY KEY (digest, size, position)) WITHOUT ROWID;
            CREATE INDEX log_part_position ON log_part(position);
            CREATE TABLE stage(
                digest BLOB NOT NULL, size INTEGER NOT NULL, held INTEGER NOT NULL,
                touched INTEGER NOT NULL, PRIMARY KEY (digest, size)) WITHOUT ROWID;
            """)

    /// Checks that a file is a zone's, and brings its tables into the latest format.
    ///
    /// Call it within a write transaction.
    ///
    /// - Returns: False for an empty file, which has no tables yet.
    static func check(_ connection: Connection, by tables: TableFormat = ZoneSchema.tables) throws
        -> Bool
    {
        guard
            try connection.integer("PRAGMA application_id") == applicationID
                || connection.integer("SELECT count(*) FROM sqlite_schema") == 0
        else {
            throw StorageError(
                .damaged, "Can't open \(connection.path) because it is not a zone's file.")
        }
        return try tables.update(connection)
    }

    /// Begins an epoch at the end of the log.
    static func beginEpoch(_ epoch: EpochID, _ connection: Connection) throws {
        try connection.run(
            """
            INSERT INTO epoch(ordinal, id, fork)
            SELECT max(ordinal) + 1, ?, (SELECT coalesce(max(position), 0) FROM log) FROM epoch
            """, .blob(epoch.bytes))
    }

    static func create(
        _ connection: Connection, epoch: EpochID, identity: FileIdentity
    ) throws {
        try tables.create(connection)
        try connection.run(
            "INSERT INTO zone(id, identity, greatest, start, checksum) VALUES (1, ?, 0, 0, ?)",
            .blob(identity.encoded), .blob(StateChecksum.zero.bytes))
        try connection.run(
            "INSERT INTO epoch(ordinal, id, fork) VALUES (0, ?, 0)", .blob(epoch.bytes))
        try connection.execute("PRAGMA application_id = \(applicationID)")
    }
}
