import Anabranch

/// Takes keys out of a key ring.
struct KeyRemoveCommand: Command {
    static let specification = CommandSpecification(
        name: "key remove", summary: "Takes older keys out of a key ring.",
        discussion: [
            "What is sealed with them can't be read by this ring any more. Remove a key when the "
                + "last bundles that were sealed with it have been taken in and somebody who has "
                + "it is not to be heard any more, or from a copy of the ring for somebody who "
                + "is not to read what was sealed earlier.",
            "'anabranch key add' brings a key back from a ring that still has it.",
            "The newest key stays, because an older one would seal then. Only one with the last "
                + "date there is, 9999-12-31T23:59:59Z, can go, because none can be newer: rotate "
                + "at once then.",
        ],
        arguments: [
            .keyRing,
            ArgumentSpecification(
                "KEY", "IDs, as 'anabranch key show' prints them.",
                isRepeated: true),
        ],
        options: [.json],
        examples: [
            .init(
                "key remove family.keys 6d2ab1d5c2f0f7f1f1e0a4b39c5d8e27",
                "Takes out one key; not the newest, which seals.")
        ])

    let listing: KeyRingListing
    let ids: [BundleKeyID]

    init(_ arguments: ParsedArguments) throws(UsageError) {
        listing = try KeyRingListing(arguments)
        ids = try arguments.allWords("KEY").map { word throws(UsageError) in
            guard let id = BundleKeyID(word) else {
                throw arguments.error("'\(word)' is no ID of a key: 32 hexadecimal digits.")
            }
            return id
        }
    }

    func run(_ console: Console) async throws {
        let ring = try BundleKeyRing.update(at: listing.url) { ring in
            for id in ids { try ring.remove(id) }
        }
        try listing.print(ring, console)
    }
}
