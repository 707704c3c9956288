/// The core tables of every store.
enum CoreTables {
    static let creation = """
        CREATE TABLE ab_meta (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
        CREATE TABLE ab_state (
            id INTEGER PRIMARY KEY, format INTEGER, model BLOB, file BLOB, ordinal INTEGER,
            renew INTEGER, clock INTEGER, next_number INTEGER, epoch BLOB, position INTEGER,
            running BLOB, clock_offset INTEGER, start INTEGER, start_running BLOB,
            wants_snapshot INTEGER, reserved INTEGER NOT NULL DEFAULT 0,
            placed INTEGER NOT NULL DEFAULT 0, head_of INTEGER NOT NULL DEFAULT 0,
            head_seen INTEGER NOT NULL DEFAULT 0, head_origin BLOB);
        \(head)
        CREATE TABLE ab_replica (
            ordinal INTEGER PRIMARY KEY, id BLOB UNIQUE, own INTEGER, seen INTEGER, origin BLOB);
        CREATE TABLE ab_entity (number INTEGER PRIMARY KEY, name TEXT UNIQUE);
        CREATE TABLE ab_property (
            entity INTEGER, number INTEGER, name TEXT, type INTEGER, rule INTEGER,
            PRIMARY KEY (entity, number)) WITHOUT ROWID;
        CREATE TABLE ab_changeset (
            position INTEGER PRIMARY KEY, kind INTEGER, replica INTEGER, seq INTEGER,
            hlc INTEGER, context BLOB, author TEXT, name TEXT, epoch BLOB,
            server_position INTEGER, rewritten BLOB, previous_origin BLOB, origin BLOB,
            digest BLOB, payload BLOB);
        CREATE UNIQUE INDEX ab_changeset_dot ON ab_changeset (replica, seq);
        \(logIndexes)
        CREATE INDEX ab_changeset_server ON ab_changeset (server_position)
            WHERE server_position IS NOT NULL;
        CREATE INDEX ab_changeset_parts ON ab_changeset (position) WHERE kind = 1;
        \(payloadTables)
        CREATE TABLE ab_part (
            id INTEGER PRIMARY KEY, digest BLOB, size INTEGER, start INTEGER, bytes BLOB);
        CREATE UNIQUE INDEX ab_part_digest ON ab_part (digest, size, start);
        CREATE TABLE ab_stamp (
            position INTEGER PRIMARY KEY, replica INTEGER, hlc INTEGER, seq INTEGER,
            server_position INTEGER, author INTEGER);
        CREATE INDEX ab_stamp_time ON ab_stamp (replica, hlc);
        CREATE TABLE ab_snapshot (
            id INTEGER PRIMARY KEY, epoch BLOB, position INTEGER, running BLOB, digest BLOB,
            chunks INTEGER);
        CREATE TABLE ab_snapshot_chunk (number INTEGER PRIMARY KEY, bytes BLOB);
        CREATE TABLE ab_rejected (
            id INTEGER PRIMARY KEY AUTOINCREMENT, cause INTEGER, origin BLOB, code TEXT,
            reason TEXT, noticed INTEGER, change_set BLOB);
        CREATE TABLE ab_epoch (id BLOB PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE ab_delete_mark (record INTEGER PRIMARY KEY, seen BLOB);
        CREATE TABLE ab_debt (record INTEGER PRIMARY KEY);
        CREATE TABLE ab_waiting (
            origin BLOB PRIMARY KEY, replica BLOB, seq INTEGER, lacks BLOB, lacks_seq INTEGER,
            bytes BLOB);
        CREATE INDEX ab_waiting_lacks ON ab_waiting (lacks, lacks_seq);
        CREATE TABLE ab_deferred_record (record INTEGER PRIMARY KEY, entity TEXT);
        CREATE INDEX ab_deferred_zone ON ab_deferred_record (record) WHERE entity = 'ab_zone';
        CREATE TABLE ab_deferred_cell (
            record INTEGER, name TEXT, type INTEGER, rule INTEGER, value BLOB, hlc INTEGER,
            by INTEGER, PRIMARY KEY (record, name, type, rule, hlc, by)) WITHOUT ROWID;
        CREATE TABLE ab_deferred_link (
            name TEXT, type INTEGER, rule INTEGER, left INTEGER, right INTEGER, tag INTEGER,
            tag_by INTEGER, more BLOB, PRIMARY KEY (left, name, type, rule, right)) WITHOUT ROWID;
        CREATE INDEX ab_deferred_link_right ON ab_deferred_link (right);
        CREATE TABLE ab_hidden (
            record INTEGER, property INTEGER, target INTEGER, rule INTEGER,
            PRIMARY KEY (record, property)) WITHOUT ROWID;
        CREATE INDEX ab_hidden_target ON ab_hidden (target);
        """ + mergedDuplicates + journal + unsyncedSaves + formerLinks

    /// The links that deferred rows of former relationships say: an owner, the wire name of the
    /// relationship on its side, and the record at the other end.
    static let formerLinks = """

        CREATE TABLE ab_former_link (
            owner INTEGER, name TEXT, other INTEGER, PRIMARY KEY (owner, name, other)
        ) WITHOUT ROWID;
        CREATE INDEX ab_former_link_other ON ab_former_link (other);
        """

    /// The history of entities that are kept in this store only.
    static let unsyncedSaves = """

        CREATE TABLE ab_unsynced (
            position INTEGER PRIMARY KEY, replica INTEGER, hlc INTEGER, author TEXT, name TEXT,
            changes BLOB);
        """

    /// The beginnings that payloads in the log share.
    static let payloadTables = """
        CREATE TABLE ab_payload_tables (id INTEGER PRIMARY KEY, bytes BLOB UNIQUE);
        ALTER TABLE ab_changeset ADD COLUMN tables INTEGER;
        """

    /// The indexes of entries that the zone holds or that were renamed. A save writes none of them.
    static let logIndexes = """
        CREATE INDEX ab_changeset_time ON ab_changeset (replica, hlc)
            WHERE server_position IS NOT NULL;
        CREATE INDEX ab_changeset_rewritten ON ab_changeset (rewritten)
            WHERE rewritten IS NOT NULL;
        """

    /// The position of the last save that came after the row `s` of the state was written, as an
    /// expression.
    static let laterSave = """
        (SELECT position FROM ab_changeset WHERE position > s.reserved AND replica = s.head_of
            ORDER BY position DESC LIMIT 1)
        """

    /// The heads of all replicas. That of the file's own replica is in the row of the state, or,
    /// after it was written, in the log's last save.
    static let head = """
        CREATE VIEW ab_head AS SELECT r.ordinal, r.id, r.own,
            CASE r.ordinal WHEN s.head_of THEN coalesce(l.seq, s.head_seen)
                ELSE r.seen END AS seen,
            CASE r.ordinal WHEN s.head_of THEN coalesce(l.origin, s.head_origin)
                ELSE r.origin END AS origin
            FROM ab_state s LEFT JOIN ab_changeset l ON l.position = \(laterSave)
            CROSS JOIN ab_replica r;
        """

    /// The conflict journal. Its entries are many and similar, so subjects and authors have tables
    /// of their own.
    static let journal = """

        CREATE TABLE ab_conflict_subject (
            id INTEGER PRIMARY KEY, entity TEXT, property TEXT, type INTEGER, rule INTEGER,
            UNIQUE (entity, property, type, rule));
        CREATE TABLE ab_conflict_author (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
        CREATE TABLE ab_conflict (
            id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER, record INTEGER, subject INTEGER,
            value BLOB, hlc INTEGER, by INTEGER, author INTEGER, winner_hlc INTEGER,
            winner_by INTEGER, winner_author INTEGER, winner_value BLOB, noticed INTEGER);
        CREATE VIEW ab_conflict_entry AS
            SELECT c.id, c.kind, c.record, c.subject, s.entity, s.property, s.type, s.rule,
                c.value, c.hlc, c.by, a.name AS author, c.winner_hlc, c.winner_by,
                w.name AS winner_author, c.winner_value, c.noticed
            FROM ab_conflict c JOIN ab_conflict_subject s ON s.id = c.subject
            LEFT JOIN ab_conflict_author a ON a.id = c.author
            LEFT JOIN ab_conflict_author w ON w.id = c.winner_author;
        """

    static let mergedDuplicates = """

        CREATE TABLE ab_shadow (record INTEGER PRIMARY KEY, visible INTEGER);
        CREATE INDEX ab_shadow_visible ON ab_shadow (visible);
        CREATE TABLE ab_shadow_key (
            place INTEGER, key BLOB, record INTEGER, PRIMARY KEY (place, key, record)
        ) WITHOUT ROWID;
        CREATE INDEX ab_shadow_key_record ON ab_shadow_key (record);
        """
}
