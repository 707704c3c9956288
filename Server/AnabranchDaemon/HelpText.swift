/// What `--help` prints.
enum HelpText {
    static let overview = """
        anabranchd serves zones to the stores that sync with them.

        Usage:
          anabranchd serve   --store sqlite:DIR [--listen ADDRESS:PORT] …
          anabranchd token   create|list|revoke --store sqlite:DIR …
          anabranchd zone    list|show|hash|verify|compact --store sqlite:DIR …
          anabranchd --version

        "anabranchd COMMAND --help" explains a command. --store may be left out where
        ANABRANCHD_STORE is set.

        Exit status: 0 done, 1 failed, 64 the command line is wrong.
        """

    static let serve = """
        anabranchd serve serves every zone of a store until it gets SIGTERM or SIGINT.

        Usage: anabranchd serve --store sqlite:DIR [options]

          --store sqlite:DIR        the directory of the zones; made where it is missing
          --listen ADDRESS:PORT     numeric; port 0 takes a free one (127.0.0.1:8080)
          --port-file FILE          writes the port there once it listens
          --tls-certificate FILE    PEM of the certificate and those that vouch for it
          --tls-key FILE            PEM of its key
          --clock-limit SECONDS     how far a change may be ahead of the clock (300)
          --body-limit BYTES        of one request, after decompression (67108864)
          --change-set-limit BYTES  of one save; a larger one is rejected (as the body)
          --buffer-limit BYTES      of all requests that are worked on (536870912)
          --connections N           at one time (10000)
          --connections-per-address N   of them from one address (5000)
          --workers N               requests that are worked on at one time (16)
          --log-level LEVEL         debug, info, warning or error (info)

        It prints one line on standard output once it listens, and one line of JSON for each
        request on standard error.
        """

    static let token = """
        anabranchd token makes, lists and revokes the tokens that clients show.

        Usage:
          anabranchd token create --zone ZONE --role read|write|admin --store sqlite:DIR
          anabranchd token list [--zone ZONE] --store sqlite:DIR
          anabranchd token revoke NUMBER --store sqlite:DIR

        "create" also makes the zone where there is none of that name. It prints the secret,
        once: it is stored as a hash only. A daemon that runs refuses a revoked token from the
        next request on.
        """

    static let zone = """
        anabranchd zone looks at zones.

        Usage:
          anabranchd zone list --store sqlite:DIR
          anabranchd zone show ZONE --store sqlite:DIR
          anabranchd zone hash ZONE --store sqlite:DIR
          anabranchd zone verify ZONE [--repair] --store sqlite:DIR
          anabranchd zone compact ZONE [--keep ENTRIES] --store sqlite:DIR

        "hash" prints the canonical hash of the zone's state: a store that is in sync with the
        zone prints the same.

        "verify" reads the whole zone: whether its file is whole, its checksum that of its
        records, and, where the log has not been compacted, its state what the log says; for that
        it merges the log anew in the temporary directory. --repair puts checksum and state
        right, while no daemon serves the store. Exit status 1 where something is wrong.

        "compact" forgets the change sets of the log that a snapshot stands for, except the last
        10,000 or as many as --keep says, and makes deletes before them final. It may run while
        the zone is served. Who comes back from before takes the snapshot.
        """
}
