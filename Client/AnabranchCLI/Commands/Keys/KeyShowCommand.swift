import Anabranch
import Foundation

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

    let file: String
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        file = try arguments.word("FILE")
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        let ring = try BundleKeyRing(contentsOf: URL(fileURLWithPath: file))
        guard isJSON else { return try KeyRingFile.print(ring, console) }
        for key in ring.keys { try console.print(KeyRingFile.json(key, of: ring)) }
    }
}
