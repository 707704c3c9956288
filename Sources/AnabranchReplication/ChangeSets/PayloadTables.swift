/// The tables of a payload, which number its replicas, names and properties in the order of use.
struct PayloadTables: Sendable {
    private var replicas: [ReplicaID]
    private var replicaIndexes: [ReplicaID: Int]
    private var names: [WireName] = []
    private var nameIndexes: [WireName: Int] = [:]
    private var properties: [WireProperty] = []
    private var propertyIndexes: [WireProperty: Int] = [:]

    /// Creates tables that contain only the author.
    ///
    /// - Parameter author: The replica with number 0. It is not written, because the change set's
    ///   dot names it.
    init(author: ReplicaID) {
        replicas = [author]
        replicaIndexes = [author: 0]
    }

    var isWithinLimits: Bool {
        names.count <= Limits.maximumNames && properties.count <= Limits.maximumNames
    }

    mutating func index(of replica: ReplicaID) -> UInt64 {
        Self.index(of: replica, in: &replicas, by: &replicaIndexes)
    }

    mutating func index(of name: WireName) -> UInt64 {
        Self.index(of: name, in: &names, by: &nameIndexes)
    }

    mutating func index(of property: WireProperty) -> UInt64 {
        Self.index(of: property, in: &properties, by: &propertyIndexes)
    }

    func write(to payload: inout ByteWriter) {
        payload.append(count: replicas.count - 1)
        for replica in replicas.dropFirst() { payload.append(replica: replica) }
        payload.append(count: names.count)
        for name in names { payload.append(string: name.string) }
        payload.append(count: properties.count)
        for property in properties { payload.append(property: property) }
    }

    private static func index<Key: Hashable>(
        of key: Key, in list: inout [Key], by indexes: inout [Key: Int]
    ) -> UInt64 {
        if let index = indexes[key] { return UInt64(index) }
        indexes[key] = list.count
        list.append(key)
        return UInt64(list.count - 1)
    }
}
