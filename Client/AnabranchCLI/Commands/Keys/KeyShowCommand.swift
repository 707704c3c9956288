import Anabranch

/// Lists the keys of a key ring.
struct KeyShowCommand: Command {
    static let specification = CommandSpecification(
        name: "key show", summary: "Lists the keys of a key ring, without their secrets.",
        discussion: [
            "'anabranch bundle show' without a key ring prints the ID of the key with which a "
                + "bundle is sealed."
        ],
        arguments: [.keyRing], options: [.json],
        examples: [.init("key show family.keys", "Lists IDs and dates, the newest key last.")])

    let listing: KeyRingListing

    init(_ arguments: ParsedArguments) throws(UsageError) {
        listing = try KeyRingListing(arguments)
    }

    func run(_ console: Console) async throws {
        try listing.print(try BundleKeyRing(contentsOf: listing.url), console)
    }
}
