/// The texts that `--help` prints.
enum HelpText {
    static let overview = """
        anabranchd serves zones to the stores that sync with them.

        Usage:
          anabranchd serve   --store sqlite:DIR [--listen ADDRESS:PORT] …
          anabranchd token   create|list|revoke --store sqlite:DIR …
          anabranchd zone    list|show|hash|verify|compact --store sqlite:DIR …
          anabranchd backup  DIR --store sqlite:DIR
          anabranchd restore DIR --store sqlite:DIR [--replace]
          anabranchd migrate-store --from sqlite:DIR --to postgres://… [--final]
          anabranchd --version

        "anabranchd COMMAND --help" explains a command. Instead of sqlite:DIR every command takes
        the URL of a PostgreSQL database, postgres://USER@HOST/DATABASE, which several daemons may
        serve. --store is optional if the environment variable ANABRANCHD_STORE is set.

        Exit status: 0 success, 1 failure, 64 wrong command line.
        """

    static let serve = """
        anabranchd serve serves every zone of a store until it gets SIGTERM or SIGINT.

        Usage: anabranchd serve --store sqlite:DIR [options]

          --store sqlite:DIR        directory of the zones; created if it is missing
          --store postgres://…      database of the zones; its tables are created
          --database-connections N  greatest number of connections to a database (16)
          --listen ADDRESS:PORT     numeric address; port 0 is a free port (127.0.0.1:8080)
          --metrics-listen ADDRESS:PORT  address of /metrics, for Prometheus (none)
          --port-file FILE          file to write the port to, once the daemon listens
          --tls-certificate FILE    certificate chain in PEM
          --tls-key FILE            private key of the certificate in PEM
          --clock-limit SECONDS     greatest lead of a change over the server's clock (300)
          --body-limit BYTES        greatest request body, after decompression (67108864)
          --change-set-limit BYTES  greatest save; a larger one is rejected (body limit)
          --buffer-limit BYTES      greatest memory for all request bodies (536870912)
          --connections N           greatest number of connections (10000)
          --connections-per-address N   greatest number from one address (5000)
          --open-zones N            number of zones that stay open without requests (256)
          --workers N               number of requests processed at the same time (16)
          --validate URL            HTTP endpoint that accepts or rejects each save (none)
          --validate command:PATH   program that does so, one line of JSON for each push
          --validate-timeout MILLISECONDS  greatest time for its answer (2000)
          --validate-calls N        greatest number of its calls at once (4)
          --audit-log FILE          file with one line of JSON for each push (none)
          --log-level LEVEL         debug, info, warning or error (info)

        Defaults are in parentheses. The daemon prints one line on standard output when it
        listens, and one line of JSON for each request on standard error.
        """

    static let token = """
        anabranchd token creates, lists and revokes the access tokens of clients.

        Usage:
          anabranchd token create --zone ZONE --role read|write|admin [--expires TIME]
                                  --store sqlite:DIR
          anabranchd token list [--zone ZONE] --store sqlite:DIR
          anabranchd token revoke NUMBER --store sqlite:DIR

        "create" also creates the zone if it does not exist. A token for --zone 'team-*' gives
        access to every zone with a name that begins so, and creates none. --expires takes a time
        from now, such as 90d, 12h or 30m, or a time such as 2030-01-31T00:00:00Z. It prints the token's secret. The
        secret can't be shown again, because only its hash is stored. A running daemon refuses
        a revoked token from the next request on.
        """

    static let zone = """
        anabranchd zone lists, describes, verifies and compacts zones.

        Usage:
          anabranchd zone list --store sqlite:DIR
          anabranchd zone show ZONE --store sqlite:DIR
          anabranchd zone hash ZONE --store sqlite:DIR
          anabranchd zone verify ZONE [--repair] --store sqlite:DIR
          anabranchd zone compact ZONE [--keep ENTRIES] --store sqlite:DIR

        "hash" prints the canonical hash of the zone's state. A store that is in sync with the
        zone has the same hash.

        "verify" checks the zone's file, and its checksum against its records. If the log was
        never compacted, it also merges the log again in the temporary directory and compares
        the zone's state with the result. --repair corrects the checksum and the state; stop
        the daemon first. The exit status is 1 if something is wrong.

        "compact" removes the change sets that a snapshot replaces from the log, except the
        last 10,000, or the number that --keep gives. Deletes before these become final. The
        zone may be served meanwhile. A client that was last connected before the remaining
        entries takes the snapshot.
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
