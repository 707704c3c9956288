import AnabranchReplication
import Foundation

/// The pages about a zone, as JSON with a fixed order of keys.
enum ZonePages {
    static func hash(_ hash: ZoneHash) -> String {
        var line = JSONLine()
        line.append("hash", hash.hash.description)
        line.append("epoch", hash.head.epoch.description)
        line.append("position", Int64(clamping: hash.head.position))
        return line.finish()
    }

    static func description(_ description: ZoneDescription) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        // A struct of texts and integers always encodes.
        guard let data = try? encoder.encode(description) else { return "{}" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
