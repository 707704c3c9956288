import Anabranch
import Foundation

/// Copies keys from other key rings.
struct KeyAddCommand: Command {
    static let specification = CommandSpecification(
        name: "key add", summary: "Copies the keys of other key rings.",
        discussion: [
            "If two people rotate their copies of a key ring independently, each must add the "
                + "other's keys. Then both can open all bundles, and both seal with the same key, "
                + "the newest."
        ],
        arguments: [
            .keyRing,
            ArgumentSpecification(
                "OTHER", "The other key rings; they are not changed.", isRepeated: true,
                isFile: true),
        ],
        options: [.json],
        examples: [.init("key add family.keys from-ada.keys", "Adds the keys of another ring.")])

    let listing: KeyRingListing
    let others: [String]

    init(_ arguments: ParsedArguments) throws(UsageError) {
        listing = try KeyRingListing(arguments)
        others = arguments.allWords("OTHER")
    }

    func run(_ console: Console) async throws {
        let rings = try others.map { try BundleKeyRing(contentsOf: URL(fileURLWithPath: $0)) }
        let ring = try BundleKeyRing.update(at: listing.url) { ring in
            for other in rings { try ring.formUnion(other) }
        }
        try listing.print(ring, console)
    }
}
