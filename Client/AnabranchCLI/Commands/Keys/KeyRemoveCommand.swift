import Anabranch

/// Removes keys from a key ring.
struct KeyRemoveCommand: Command {
    static let specification = CommandSpecification(
        name: "key remove", summary: "Removes older keys from a key ring.",
        discussion: [
            "The ring can no longer open bundles sealed with these keys. Remove a key after the "
                + "last bundle sealed with it was applied, if a person with that key must not "
                + "write bundles any more. Or remove it from a copy of the ring for a person who "
                + "must not read earlier bundles.",
            "'anabranch key add' restores a key from a ring that still has it.",
            "The newest key can't be removed, because the ring would then seal with an older one. "
                + "The only exception is a key with the last possible date, 9999-12-31T23:59:59Z, "
                + "because no newer key can exist. Rotate immediately after you remove it.",
        ],
        arguments: [
            .keyRing,
            ArgumentSpecification(
                "KEY", "The IDs of the keys, as 'anabranch key show' prints them.",
                isRepeated: true),
        ],
        options: [.json],
        examples: [
            .init(
                "key remove family.keys 6d2ab1d5c2f0f7f1f1e0a4b39c5d8e27",
                "Removes one key, but not the newest, which seals.")
        ])

    let listing: KeyRingListing
    let ids: [BundleKeyID]

    init(_ arguments: ParsedArguments) throws(UsageError) {
        listing = try KeyRingListing(arguments)
        ids = try arguments.allWords("KEY").map { word throws(UsageError) in
            guard let id = BundleKeyID(word) else {
                throw arguments.error(
                    "'\(word)' is not the ID of a key. An ID has 32 hexadecimal "
                        + "digits.")
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
