import Anabranch
import Foundation

/// Shows the content of a bundle.
struct BundleShowCommand: Command {
    static let specification = CommandSpecification(
        name: "bundle show", summary: "Checks a bundle and lists its change sets.",
        discussion: [
            "The first lines show the replica that wrote the bundle, the time, and the change "
                + "sets that it held. With --json the first object shows them. For a sealed "
                + "bundle without --key-ring, only the ID of its key is shown. With --key-ring, "
                + "an unsealed bundle is refused."
        ],
        arguments: [ArgumentSpecification("FILE", "The bundle.")],
        options: [.keyRing("Opens a sealed bundle with the keys in FILE."), .json],
        examples: [.init("bundle show monday.bundle", "Shows one bundle.")])

    let file: String
    let keyRing: String?
    let isJSON: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        file = try arguments.word("FILE")
        keyRing = arguments.text("key-ring")
        isJSON = arguments.isSet("json")
    }

    func run(_ console: Console) async throws {
        let bundle = try ChangeBundle(
            contentsOf: URL(fileURLWithPath: file), openedWith: try BundleKeyRing.named(keyRing))
        let text = BundleText(bundle)
        guard !isJSON else {
            try console.print(text.json())
            return try bundle.forEachChangeSet { try console.print(BundleText.json($0)) }
        }
        for (name, value) in text.lines { try console.print(value, titled: name, width: 14) }
        var table = TextTable([
            .init("SET"), .init("TIME"), .init("AUTHOR"), .init("CONTEXT"), .init("CHANGES"),
        ])
        try bundle.forEachChangeSet { set in
            table.append([
                RecordText.short(set.dot), BundleText.time(of: set), set.author,
                BundleText.knowing(set), ChangeSetText.summary(of: set),
            ])
        }
        try console.print()
        try console.print(table)
    }
}
