/// The texts that `--help` prints.
enum HelpText {
    static let overview = """
        anabranchd serves zones to the stores that sync with them.

        Usage:
          anabranchd serve   --store sqlite:DIR [--listen ADDRESS:PORT] …
          anabranchd check-config [--config FILE] …
          anabranchd token   create|list|revoke --store sqlite:DIR …
          anabranchd zone    create|list|show|hash|limit|verify|compact|forget …
          anabranchd backup  DIR --store sqlite:DIR
          anabranchd restore DIR --store sqlite:DIR [--replace]
          anabranchd migrate-store --from sqlite:DIR --to postgres://… [--final]
          anabranchd --version

        "anabranchd COMMAND --help" explains a command. Instead of sqlite:DIR every command takes
        the URL of a PostgreSQL database, postgres://USER@HOST/DATABASE, which several daemons may
        serve. --store is optional if the environment variable ANABRANCHD_STORE is set.

        Exit status: 0 success, 1 failure, 64 wrong command line, 78 wrong configuration.
        """

    static let serve = """
        anabranchd serve serves every zone of a store until it gets SIGTERM or SIGINT.

        Usage: anabranchd serve --store sqlite:DIR [options]
               anabranchd serve --config FILE [options]

          --config FILE             configuration file (none)
        \(ServeOption.help)

        Defaults are in parentheses. The daemon prints one line on standard output when it
        listens, and one line of JSON for each request on standard error.

        Each setting can also be in the configuration file, as "log-level = info", and in an
        environment variable, as ANABRANCHD_LOG_LEVEL. An option overrides the variable, and the
        variable overrides the file. In the file, the lines after "[tls]" are the settings that
        begin with "tls-", without that. SIGHUP reads the file, certificate and key again, and opens
        the audit log again.
        """

    static let checkConfig = """
        anabranchd check-config reads the configuration as serve does, and says what is wrong.

        Usage: anabranchd check-config [--config FILE] [options of serve]

        It prints each setting and the place that gives it. It reads certificates and keys, but
        opens no store and no port.
        """

    static let token = """
        anabranchd token creates, lists and revokes the access tokens of clients.

        Usage:
          anabranchd token create --zone ZONE --role read|write|admin [--expires TIME]
                                  [--audit-log FILE] --store sqlite:DIR
          anabranchd token list [--zone ZONE] --store sqlite:DIR
          anabranchd token revoke NUMBER [--audit-log FILE] --store sqlite:DIR

        "create" also creates the zone if it does not exist. A token for --zone 'team-*' gives
        access to every zone with a name that begins so, and creates none. --expires takes a time
        from now, such as 90d, 12h or 30m, or a time such as 2030-01-31T00:00:00Z.

        "create" prints the token's secret, which can't be shown again, because only its hash is
        stored. A running daemon refuses a revoked token from the next request on. Both commands
        add a line to the audit log, if --audit-log, ANABRANCHD_AUDIT_LOG or the configuration
        file that ANABRANCHD_CONFIG names has its file.
        """

    static let zone = """
        anabranchd zone creates, lists, describes, limits, verifies and compacts zones, and drops
        replicas.

        Usage:
          anabranchd zone create ZONE --store sqlite:DIR
          anabranchd zone list --store sqlite:DIR
          anabranchd zone show ZONE --store sqlite:DIR
          anabranchd zone hash ZONE --store sqlite:DIR
          anabranchd zone limit ZONE [--bytes N|none] [--records N|none] [--replicas N|none]
                                [--daily-bytes N|none] --store sqlite:DIR
          anabranchd zone verify ZONE [--repair] --store sqlite:DIR
          anabranchd zone compact ZONE [--keep ENTRIES] --store sqlite:DIR
          anabranchd zone forget ZONE REPLICA --store sqlite:DIR

        "hash" prints the canonical hash of the zone's state. A store that is in sync with the
        zone has the same hash.

        "limit" sets the quotas of the zone and shows them with what is used. "none" is no limit,
        "default" the default of the daemon, which its options --zone-bytes and so on set. A save
        beyond a quota is refused and waits in its store until there is room.

        "verify" checks the zone's file, and its checksum against its records. If the log was
        never compacted, it also merges the log again in the temporary directory and compares
        the zone's state with the result. --repair corrects the checksum and the state; stop
        the daemon first. The exit status is 1 if something is wrong.

        "compact" removes the change sets that a snapshot replaces from the log, except the
        last 10,000, or the number that --keep gives. Deletes before these become final. The
        zone may be served meanwhile. A client that was last connected before the remaining
        entries takes the snapshot.

        "forget" lets automatic compactions remove entries that a replica lacks, which will not
        return. If it returns, it takes a snapshot and is counted again.
        """

    static let backup = """
        anabranchd backup copies all zones and tokens of a store into a directory.

        Usage: anabranchd backup DIR --store sqlite:DIR

        Each zone is copied as it is at one moment, while daemons serve the store. If DIR holds an
        earlier backup, it gets only what is new. DIR is a store of its own, so "anabranchd zone
        list|show|hash|verify --store sqlite:DIR" look at it; never serve it.
        """

    static let restore = """
        anabranchd restore copies all zones and tokens of a backup into a store.

        Usage: anabranchd restore DIR --store sqlite:DIR [--replace]

          --replace   replace zones that have a log already; without it, that is an error

        The store is created if it is missing. Each zone begins an epoch, and clients push again
        what they have seen beyond the backup. Stop the daemon of a directory first. Zones of the
        store that are not in the backup stay as they are.
        """

    static let migrateStore = """
        anabranchd migrate-store moves all zones and tokens to another store.

        Usage: anabranchd migrate-store --from STORE --to STORE [--final]

          --from STORE   the store to move, sqlite:DIR or postgres://…
          --to STORE     the store that takes its place
          --final        copy the rest, after which no daemon serves the first store

        Without --final, what is new is copied while daemons serve the first store; repeat it as
        often as you like. Then stop the daemons, repeat the command with --final, and serve the
        second store. Clients wait only meanwhile, and continue where they were: no zone begins an
        epoch.
        """
}
