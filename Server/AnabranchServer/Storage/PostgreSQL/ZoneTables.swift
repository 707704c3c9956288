/// The tables of all zones in a PostgreSQL database, in the schema `anabranch`.
///
/// Each table, each primary key and each index begins with the zone, no statement names two zones,
/// and numbers are counted in the zone's own row. So the tables can be partitioned or distributed
/// by the zone without a change of the code. Only `migration`, `moved` and `token` belong to no
/// zone.
///
/// The columns are those of a zone's file (`ZoneSchema`), with these differences:
///
/// - `zone`: `history` identifies the cluster and timeline that wrote the zone last. `epochs` is a
///   sequence of 16 bytes of ID and 8 bytes of fork position. `position` and `running` are those of
///   the log's last entry. `replicas`, `entities` and `properties` are the next numbers of each.
/// - `snapshot`, `chunk`: `id` is random.
enum ZoneTables {
    /// The scripts that make each version of the tables from the version before it. A script that
    /// was released never changes.
    static let migrations: [[String]] = [first]

    /// Creates the tables or brings them up to date, each version in a transaction of its own.
    ///
    /// - Throws: ``StorageError`` `newerFormat` if a later version of the server has changed them.
    static func update(
        _ session: PostgreSQLSession, by migrations: [[String]] = ZoneTables.migrations
    ) throws {
        while true {
            let applied = try begin(session)
            guard applied <= migrations.count else {
                throw StorageError(
                    .newerFormat,
                    "Can't use the database because its tables have version \(applied), which is "
                        + "later than this server's \(migrations.count). Update the server. If a "
                        + "development build made the tables, no released server uses them.")
            }
            guard applied < migrations.count else { return try session.commit() }
            let scripts = migrations[applied].map { PostgreSQLStatement($0) }
            let record = PostgreSQLStatement(
                "INSERT INTO anabranch.migration(number) VALUES ($1)",
                .integer(Int64(applied + 1)))
            try session.commit(scripts + [record])
        }
    }

    /// Begins a transaction that no other daemon's update runs beside.
    ///
    /// - Returns: The version of the tables; zero if there are none.
    private static func begin(_ session: PostgreSQLSession) throws -> Int {
        _ = try session.begin(
            .writing,
            [
                PostgreSQLStatement("SELECT pg_advisory_xact_lock(\(lock))"),
                PostgreSQLStatement("CREATE SCHEMA IF NOT EXISTS anabranch"),
                PostgreSQLStatement(
                    """
                    CREATE TABLE IF NOT EXISTS anabranch.migration(
                        number bigint PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now())
                    """),
            ])
        let row = try session.run(
            PostgreSQLStatement("SELECT coalesce(max(number), 0) FROM anabranch.migration")
        ).first
        return Int(row?.int64(at: 0) ?? 0)
    }

    /// The key of the advisory lock, "AbZn" as a number.
    private static let lock = 0x4162_5A6E

    private static let first = [
        """
        CREATE TABLE anabranch.token(
            number bigint PRIMARY KEY, zone text COLLATE "C" NOT NULL, role text NOT NULL,
            hash bytea NOT NULL UNIQUE, created bigint NOT NULL, used bigint, revoked bigint,
            expires bigint)
        """,
        "CREATE TABLE anabranch.moved(location text NOT NULL)",
        """
        CREATE TABLE anabranch.zone(
            zone text COLLATE "C" PRIMARY KEY, history text NOT NULL, epochs bytea NOT NULL,
            position bigint NOT NULL, running bytea NOT NULL, greatest bigint NOT NULL,
            start bigint NOT NULL, checksum bytea NOT NULL, replicas bigint NOT NULL,
            entities bigint NOT NULL, properties bigint NOT NULL, bytes bigint NOT NULL,
            records bigint NOT NULL, day bigint NOT NULL, day_bytes bigint NOT NULL,
            quota_bytes bigint, quota_records bigint, quota_replicas bigint,
            quota_daily_bytes bigint)
        """,
        """
        CREATE TABLE anabranch.replica(
            zone text COLLATE "C" NOT NULL, ordinal bigint NOT NULL, id bytea NOT NULL,
            sequence bigint NOT NULL, origin bytea, PRIMARY KEY (zone, ordinal))
        """,
        "CREATE UNIQUE INDEX replica_id ON anabranch.replica(zone, id)",
        """
        CREATE TABLE anabranch.acknowledgement(
            zone text COLLATE "C" NOT NULL, replica bytea NOT NULL, position bigint NOT NULL,
            seen bigint NOT NULL, PRIMARY KEY (zone, replica))
        """,
        """
        CREATE TABLE anabranch.log(
            zone text COLLATE "C" NOT NULL, position bigint NOT NULL, kind bigint NOT NULL,
            replica bigint NOT NULL, sequence bigint NOT NULL, timestamp bigint NOT NULL,
            origin bytea NOT NULL, digest bytea NOT NULL, running bytea NOT NULL,
            change_set bytea NOT NULL, PRIMARY KEY (zone, position))
        """,
        "CREATE UNIQUE INDEX log_origin ON anabranch.log(zone, origin)",
        "CREATE UNIQUE INDEX log_dot ON anabranch.log(zone, replica, sequence)",
        """
        CREATE TABLE anabranch.entity(
            zone text COLLATE "C" NOT NULL, number bigint NOT NULL, name bytea NOT NULL,
            PRIMARY KEY (zone, number))
        """,
        "CREATE UNIQUE INDEX entity_name ON anabranch.entity(zone, name)",
        """
        CREATE TABLE anabranch.property(
            zone text COLLATE "C" NOT NULL, number bigint NOT NULL, name bytea NOT NULL,
            type bigint NOT NULL, rule bigint NOT NULL, PRIMARY KEY (zone, number))
        """,
        "CREATE UNIQUE INDEX property_name ON anabranch.property(zone, name, type, rule)",
        """
        CREATE TABLE anabranch.record(
            zone text COLLATE "C" NOT NULL, key bigint NOT NULL, entity bigint NOT NULL,
            timestamp bigint NOT NULL, author bigint NOT NULL, cells bytea NOT NULL, seen bytea,
            dead bigint NOT NULL, PRIMARY KEY (zone, key))
        """,
        "CREATE INDEX record_dead ON anabranch.record(zone, dead) WHERE dead > 0",
        """
        CREATE TABLE anabranch.link(
            zone text COLLATE "C" NOT NULL, left_key bigint NOT NULL, property bigint NOT NULL,
            right_key bigint NOT NULL, tags bytea NOT NULL,
            PRIMARY KEY (zone, left_key, property, right_key))
        """,
        "CREATE INDEX link_right ON anabranch.link(zone, right_key)",
        """
        CREATE TABLE anabranch.part(
            zone text COLLATE "C" NOT NULL, digest bytea NOT NULL, size bigint NOT NULL,
            start bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (zone, digest, size, start))
        """,
        """
        CREATE TABLE anabranch.log_part(
            zone text COLLATE "C" NOT NULL, digest bytea NOT NULL, size bigint NOT NULL,
            position bigint NOT NULL, PRIMARY KEY (zone, digest, size, position))
        """,
        "CREATE INDEX log_part_position ON anabranch.log_part(zone, position)",
        """
        CREATE TABLE anabranch.stage(
            zone text COLLATE "C" NOT NULL, digest bytea NOT NULL, size bigint NOT NULL,
            held bigint NOT NULL, touched bigint NOT NULL, PRIMARY KEY (zone, digest, size))
        """,
        """
        CREATE TABLE anabranch.snapshot(
            zone text COLLATE "C" NOT NULL, id bytea NOT NULL, begun bigint NOT NULL,
            epoch bytea NOT NULL, position bigint NOT NULL, running bytea NOT NULL, digest bytea,
            chunks bigint NOT NULL, bytes bigint NOT NULL, touched bigint NOT NULL,
            PRIMARY KEY (zone, id))
        """,
        """
        CREATE TABLE anabranch.chunk(
            zone text COLLATE "C" NOT NULL, snapshot bytea NOT NULL, number bigint NOT NULL,
            digest bytea NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (zone, snapshot, number))
        """,
    ]
}
