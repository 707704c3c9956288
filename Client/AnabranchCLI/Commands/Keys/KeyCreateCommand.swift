import Anabranch

/// Makes a key ring.
struct KeyCreateCommand: Command {
    static let specification = CommandSpecification(
        name: "key create", summary: "Makes a key ring, with which bundles are sealed.",
        discussion: [
            "The file has one key, which nobody else has; only its owner may read it, and it is "
                + "refused where others may. Give it, by a way that nobody else reads, to those "
                + "who are to exchange sealed bundles. Keep a copy: what is sealed can't be read "
                + "without it.",
            "What goes to a sync server is not sealed: the server merges, and so reads it.",
        ],
        arguments: [.keyRing], options: [.json],
        examples: [.init("key create family.keys", "Makes the file family.keys.")])

    let listing: KeyRingListing

    init(_ arguments: ParsedArguments) throws(UsageError) {
        listing = try KeyRingListing(arguments)
    }

    func run(_ console: Console) async throws {
        let ring = BundleKeyRing()
        try ring.create(at: listing.url)
        try listing.printNewest(
            of: ring, as: "Made \(listing.path) with the key \(ring.newest.id).", console)
    }
}
