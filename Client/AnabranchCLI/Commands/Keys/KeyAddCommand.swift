import Anabranch
import Foundation

/// Takes keys over from other key rings.
struct KeyAddCommand: Command {
    static let specification = CommandSpecification(
        name: "key add", summary: "Takes over the keys of other key rings.",
        discussion: [
            "Where two have rotated without knowing of each other, both read everything when each "
                + "has taken over the other's keys, and both seal with the same one, the newest."
        ],
        arguments: [
            .keyRing,
            ArgumentSpecification(
                "OTHER", "Key rings; they stay as they are.", isRepeated: true, isFile: true),
        ],
        options: [.json],
        examples: [.init("key add family.keys from-ada.keys", "Has the keys of both then.")])

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
