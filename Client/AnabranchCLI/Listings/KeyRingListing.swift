import Anabranch
import Foundation

/// The key ring of a `key` command, and the output of its keys without their secrets.
struct KeyRingListing {
    let path: String
    private let isJSON: Bool

    var url: URL { URL(fileURLWithPath: path) }

    init(_ arguments: ParsedArguments) throws(UsageError) {
        path = try arguments.word("FILE")
        isJSON = arguments.isSet("json")
    }

    func print(_ ring: BundleKeyRing, _ console: Console) throws {
        guard !isJSON else {
            for key in ring.keys { try console.print(Self.json(key, of: ring)) }
            return
        }
        var table = TextTable([.init("KEY"), .init("CREATED"), .init("")])
        for key in ring.keys {
            let role = key == ring.newest ? "seals" : ""
            table.append([key.id.description, Self.time(of: key), role])
        }
        try console.print(table)
    }

    /// Prints the newest key.
    ///
    /// - Parameter text: The output for people.
    func printNewest(of ring: BundleKeyRing, as text: String, _ console: Console) throws {
        try console.print(isJSON ? Self.json(ring.newest, of: ring) : text)
    }

    private static func json(_ key: BundleKeyRing.Key, of ring: BundleKeyRing) -> String {
        JSONText.object { json in
            json.member("key", key.id.description)
            json.member("made", time(of: key))
            json.member("seals", key == ring.newest)
        }
    }

    private static func time(of key: BundleKeyRing.Key) -> String {
        TimeText.short(wallMilliseconds: Int64(key.date.timeIntervalSince1970) * 1000)
    }
}

extension ArgumentSpecification {
    static let keyRing = ArgumentSpecification("FILE", "The key ring's file.", isFile: true)
}
