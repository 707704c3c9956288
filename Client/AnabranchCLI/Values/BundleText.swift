import Anabranch
import Foundation

/// A bundle as text and as JSON.
struct BundleText {
    private let bundle: ChangeBundle

    init(_ bundle: ChangeBundle) { self.bundle = bundle }

    private var time: String {
        let milliseconds = (bundle.date.timeIntervalSince1970 * 1000).rounded()
        return TimeText.precise(wallMilliseconds: Int64(exactly: milliseconds) ?? 0)
    }

    var lines: [(String, String)] {
        let sets = Quantity.text(bundle.changeSetCount, "change set")
        return [
            ("Bundle", "\(bundle.url.path), \(Quantity.bytes(bundle.byteCount)), \(sets)"),
            ("Sealed with", bundle.sealingKey?.description ?? "no key: plain text"),
            ("Written by", bundle.sender.description), ("Written at", time),
            ("Held", Self.text(bundle.vector)), ("Needs", Self.text(bundle.prerequisites)),
        ]
    }

    private static func text(_ vector: VersionVector) -> String {
        let heads = vector.heads.map { RecordText.short($0) }
        return heads.isEmpty ? "nothing" : heads.joined(separator: ", ")
    }

    func json() -> String {
        JSONText.object { json in
            json.member("file", bundle.url.path)
            json.member("byteCount", bundle.byteCount)
            json.member("changeSets", bundle.changeSetCount)
            if let key = bundle.sealingKey { json.member("key", key.description) }
            json.member("sender", bundle.sender.description)
            json.member("time", time)
            json.member("vector", VectorText.text(bundle.vector))
            json.member("needs", VectorText.text(bundle.prerequisites))
        }
    }

    static func json(_ set: ChangeSet) -> String {
        JSONText.object { json in
            json.member("dot", set.dot.description)
            json.member("time", time(of: set))
            json.member("timestamp", set.timestamp.rawValue)
            json.member("author", set.author)
            json.member("name", set.name)
            json.member("origin", set.origin.description)
            json.member("digest", set.digest.description)
            json.member("byteCount", set.payload.count)
            json.member("knowing", VectorText.text(VersionVector(set.context.beyond.map(\.dot))))
            json.member("summary", ChangeSetText.summary(of: set))
        }
    }

    static func time(of set: ChangeSet) -> String {
        TimeText.precise(wallMilliseconds: set.timestamp.wallMilliseconds)
    }

    static func knowing(_ set: ChangeSet) -> String {
        let dots = set.context.beyond.map { RecordText.short($0.dot) }
        return dots.isEmpty ? "nothing" : dots.joined(separator: ", ")
    }
}

/// A version vector as one word: `REPLICA:NUMBER,REPLICA:NUMBER`.
enum VectorText {
    static func text(_ vector: VersionVector) -> String {
        vector.heads.map(\.description).joined(separator: ",")
    }

    /// Parses a vector; `nil` if the text is not one.
    static func vector(_ text: String) -> VersionVector? {
        var heads: [Dot] = []
        for word in text.split(separator: ",") {
            let parts = word.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let replica = ReplicaID(String(parts[0])),
                let sequence = UInt64(parts[1]), (1...Limits.greatestSequence).contains(sequence)
            else { return nil }
            heads.append(Dot(replica: replica, sequence: sequence))
        }
        return heads.isEmpty ? nil : VersionVector(heads)
    }
}
