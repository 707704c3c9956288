/// What there is: things by their keys, and who is linked to whom.
struct DumbPicture: Equatable {
    var things: [Int: DumbThing] = [:]
    var links: Set<DumbLink> = []

    /// Without what leads to nothing.
    var tidy: DumbPicture {
        var picture = self
        for (key, thing) in things {
            picture.things[key]?.targets = thing.targets.filter { things[$0.value] != nil }
        }
        picture.links = links.filter { things[$0.left] != nil && things[$0.right] != nil }
        return picture
    }

    /// With those who led to a thing before, or were linked to it; its own to-ones are as now.
    func relating(_ key: Int, as former: DumbPicture?) -> DumbPicture {
        guard let former else { return self }
        var picture = self
        picture.links = links.filter { !$0.mentions(key) }
            .union(former.links.filter { $0.mentions(key) })
        for name in ["owner", "boss"] {
            for holder in holders(of: key, by: name) where holder != key {
                picture.things[holder]?.targets[name] = nil
            }
            for holder in former.holders(of: key, by: name) where holder != key {
                picture.things[holder]?.targets[name] = key
            }
        }
        return picture
    }

    /// Whose to-one leads to a thing.
    func holders(of key: Int, by name: String) -> [Int] {
        things.filter { $0.value.targets[name] == key }.keys.sorted()
    }

    func linked(to key: Int, by name: String) -> [Int] {
        links.compactMap { $0.name == name ? $0.other(than: key) : nil }.sorted()
    }

    /// A thing and those that are lost with it.
    func cascade(from key: Int) -> Set<Int> {
        var all: Set<Int> = []
        var wave = [key]
        while let next = wave.popLast() {
            if all.insert(next).inserted { wave += holders(of: next, by: "owner") }
        }
        return all
    }
}

struct DumbThing: Equatable {
    var isTag = false
    /// How often the record was made anew under another identity.
    var life = 0
    var values: [String: Int] = [:]
    var targets: [String: Int] = [:]
}

/// Of two ends; those of `friends` in the order of their keys.
struct DumbLink: Hashable {
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

/// A property of a thing.
struct DumbCell: Hashable {
    let key: Int
    let name: String
}
