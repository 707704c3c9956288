import Anabranch

/// Adds a newer key to a key ring.
struct KeyRotateCommand: Command {
    static let specification = CommandSpecification(
        name: "key rotate", summary: "Adds a newer key, which seals from now on.",
        discussion: [
            "The older keys go on opening what is sealed with them, also what somebody who was "
                + "away seals with them later. Give the file to all who are to read what is "
                + "sealed from now on; who does not get it can't, but keeps what he could read.",
            "Until 'anabranch key remove' takes an older key out of a ring, who has it can still "
                + "write bundles that the ring opens.",
        ],
        arguments: [.keyRing], options: [.json],
        examples: [.init("key rotate family.keys", "Makes a key that only this file has.")])

    let listing: KeyRingListing

    init(_ arguments: ParsedArguments) throws(UsageError) {
        listing = try KeyRingListing(arguments)
    }

    func run(_ console: Console) async throws {
        let ring = try BundleKeyRing.update(at: listing.url) { try $0.rotate() }
        let count = Quantity.text(ring.keys.count, "key")
        try listing.printNewest(
            of: ring, as: "\(listing.path) has \(count); \(ring.newest.id) seals.", console)
    }
}
