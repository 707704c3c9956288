/// The state of a graph: objects by their keys, and the links between them.
struct GraphSnapshot: Equatable {
    var things: [Int: SnapshotObject] = [:]
    var links: Set<SnapshotLink> = []

    /// The snapshot without references and links to missing objects.
    var tidy: GraphSnapshot {
        var snapshot = self
        for (key, thing) in things {
            snapshot.things[key]?.targets = thing.targets.filter { things[$0.value] != nil }
        }
        snapshot.links = links.filter { things[$0.left] != nil && things[$0.right] != nil }
        return snapshot
    }

    /// Returns the snapshot with the incoming references and the links of an object as in `former`.
    /// The object's own to-ones are unchanged.
    func relating(_ key: Int, as former: GraphSnapshot?) -> GraphSnapshot {
        guard let former else { return self }
        var snapshot = self
        snapshot.links = links.filter { !$0.mentions(key) }
            .union(former.links.filter { $0.mentions(key) })
        for name in ["owner", "boss"] {
            for holder in holders(of: key, by: name) where holder != key {
                snapshot.things[holder]?.targets[name] = nil
            }
            for holder in former.holders(of: key, by: name) where holder != key {
                snapshot.things[holder]?.targets[name] = key
            }
        }
        return snapshot
    }

    /// Returns the objects that point to an object by a to-one.
    func holders(of key: Int, by name: String) -> [Int] {
        things.filter { $0.value.targets[name] == key }.keys.sorted()
    }

    func linked(to key: Int, by name: String) -> [Int] {
        links.compactMap { $0.name == name ? $0.other(than: key) : nil }.sorted()
    }

    /// Returns an object and the objects that its deletion deletes.
    func cascade(from key: Int) -> Set<Int> {
        var all: Set<Int> = []
        var wave = [key]
        while let next = wave.popLast() {
            if all.insert(next).inserted { wave += holders(of: next, by: "owner") }
        }
        return all
    }
}

struct SnapshotObject: Equatable {
    var isTag = false
    /// The number of times at which the record was recreated under another identity.
    var life = 0
    var values: [String: Int] = [:]
    var targets: [String: Int] = [:]
}

/// A link between two objects. The ends of a `friends` link are ordered by their keys.
struct SnapshotLink: Hashable {
    let name: String
    let left: Int
    let right: Int

    init(_ name: String, _ one: Int, _ other: Int) {
        self.name = name
        let isTurned = name == "friends" && other < one
        left = isTurned ? other : one
        right = isTurned ? one : other
    }

    func mentions(_ key: Int) -> Bool { left == key || right == key }

    func other(than key: Int) -> Int? { left == key ? right : right == key ? left : nil }
}

/// A property of an object.
struct SnapshotCell: Hashable {
    let key: Int
    let name: String
}
