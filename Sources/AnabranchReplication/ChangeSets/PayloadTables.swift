/// The tables of a payload, which number its replicas, names and properties in the order of use.
struct PayloadTables: Sendable {
    /// The replica with number 0. It is not written, because the change set's dot names it.
    private let author: ReplicaID
    private var others = Numbering<ReplicaID>()
    private var names = Numbering<WireName>()
    private var properties = Numbering<WireProperty>()

    /// Creates tables that contain only the author.
    init(author: ReplicaID) { self.author = author }

    var isWithinLimits: Bool {
        names.keys.count <= Limits.maximumNames && properties.keys.count <= Limits.maximumNames
    }

    mutating func index(of replica: ReplicaID) -> UInt64 {
        replica == author ? 0 : others.index(of: replica) + 1
    }

    mutating func index(of name: WireName) -> UInt64 { names.index(of: name) }

    mutating func index(of property: WireProperty) -> UInt64 { properties.index(of: property) }

    func write(to payload: inout ByteWriter) {
        payload.append(count: others.keys.count)
        for replica in others.keys { payload.append(replica: replica) }
        payload.append(count: names.keys.count)
        for name in names.keys { payload.append(string: name.string) }
        payload.append(count: properties.keys.count)
        for property in properties.keys { payload.append(property: property) }
    }
}

/// Keys that are numbered in the order of their first use.
private struct Numbering<Key: Hashable & Sendable>: Sendable {
    private(set) var keys: [Key] = []
    /// The numbers by key, once there are more than a few keys.
    private var indexes: [Key: Int] = [:]

    /// So few keys are found faster by looking at each.
    private static var few: Int { 8 }

    mutating func index(of key: Key) -> UInt64 {
        if let index = indexes.isEmpty ? keys.firstIndex(of: key) : indexes[key] {
            return UInt64(index)
        }
        if keys.isEmpty { keys.reserveCapacity(Self.few) }
        keys.append(key)
        if !indexes.isEmpty {
            indexes[key] = keys.count - 1
        } else if keys.count > Self.few {
            for (index, key) in keys.enumerated() { indexes[key] = index }
        }
        return UInt64(keys.count - 1)
    }
}
