import Anabranch

/// Tells which keys are in a key ring.
struct KeyShowCommand: Command {
    static let specification = CommandSpecification(
        name: "key show", summary: "Lists the keys of a key ring, without their secrets.",
        discussion: [
            "A bundle says which key it is sealed with: 'anabranch bundle show' without a key "
                + "ring names it."
        ],
        arguments: [.keyRing], options: [.json],
        examples: [.init("key show family.keys", "IDs and dates, the newest last.")])

    let listing: KeyRingListing

    init(_ arguments: ParsedArguments) throws(UsageError) {
        listing = try KeyRingListing(arguments)
    }

    func run(_ console: Console) async throws {
        try listing.print(try BundleKeyRing(contentsOf: listing.url), console)
    }
}
