import Anabranch

/// Adds a newer key to a key ring.
struct KeyRotateCommand: Command {
    static let specification = CommandSpecification(
        name: "key rotate", summary: "Adds a newer key, which seals all later bundles.",
        discussion: [
            "The older keys still open bundles sealed with them. Give the new file to all people "
                + "who should read later bundles. Without the new key, only earlier bundles can "
                + "be read.",
            "A person with an older key can still write bundles that the ring opens, until "
                + "'anabranch key remove' removes that key from the ring.",
        ],
        arguments: [.keyRing], options: [.json],
        examples: [.init("key rotate family.keys", "Adds a key that only this file has.")])

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
