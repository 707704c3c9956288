import Anabranch

/// Creates a key ring.
struct KeyCreateCommand: Command {
    static let specification = CommandSpecification(
        name: "key create", summary: "Creates a key ring to seal bundles with.",
        discussion: [
            "The file contains one new key. Only its owner may read it; a key ring that others "
                + "may read is refused. Give it, in a secure way, to the people with whom you "
                + "exchange sealed bundles. Keep a copy: without the key, sealed bundles can't be "
                + "read.",
            "Data sent to a sync server is not sealed, because the server reads and merges it.",
        ],
        arguments: [.keyRing], options: [.json],
        examples: [.init("key create family.keys", "Creates the file family.keys.")])

    let listing: KeyRingListing

    init(_ arguments: ParsedArguments) throws(UsageError) {
        listing = try KeyRingListing(arguments)
    }

    func run(_ console: Console) async throws {
        let ring = BundleKeyRing()
        try ring.create(at: listing.url)
        try listing.printNewest(
            of: ring, as: "Created \(listing.path) with the key \(ring.newest.id).", console)
    }
}
