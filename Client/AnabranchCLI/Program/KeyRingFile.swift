import Anabranch
import Foundation

/// The key ring that a command line names.
enum KeyRingFile {
    /// - Returns: `nil` where none is named.
    static func read(_ path: String?) throws -> BundleKeyRing? {
        try path.map { try BundleKeyRing(contentsOf: URL(fileURLWithPath: $0)) }
    }

    static func print(_ ring: BundleKeyRing, _ console: Console) throws {
        var table = TextTable([.init("KEY"), .init("MADE"), .init("")])
        for key in ring.keys {
            table.append([key.id.description, time(of: key), key == ring.newest ? "seals" : ""])
        }
        try console.print(table)
    }

    static func json(_ key: BundleKeyRing.Key, of ring: BundleKeyRing) -> String {
        JSONText.object { json in
            json.member("key", key.id.description)
            json.member("made", time(of: key))
            json.member("seals", key == ring.newest)
        }
    }

    static func time(of key: BundleKeyRing.Key) -> String {
        TimeText.short(wallMilliseconds: Int64(key.date.timeIntervalSince1970) * 1000)
    }
}

extension OptionSpecification {
    static func keyRing(_ summary: String) -> OptionSpecification {
        OptionSpecification("key-ring", "FILE", summary)
    }
}

extension ArgumentSpecification {
    static let keyRing = ArgumentSpecification("FILE", "The key ring's file.", isFile: true)
}
