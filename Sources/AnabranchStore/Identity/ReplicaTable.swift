package import AnabranchReplication

/// The replicas that a file has heard of, numbered from 0 in the order of their coming.
package struct ReplicaTable: Sendable {
    package private(set) var replicas: [ReplicaID] = []
    private var ordinals: [ReplicaID: Int64] = [:]

    package init() {}

    package var count: Int64 { Int64(replicas.count) }

    package func ordinal(of replica: ReplicaID) -> Int64? { ordinals[replica] }

    /// - Parameter ordinal: One that the file has given out; `nil` for any other.
    package subscript(ordinal: Int64) -> ReplicaID? {
        replicas.indices.contains(Int(ordinal)) ? replicas[Int(ordinal)] : nil
    }

    package mutating func append(_ replica: ReplicaID) {
        ordinals[replica] = count
        replicas.append(replica)
    }

    package func record(_ id: LocalID) -> RecordID? {
        self[id.ordinal].map { RecordID(replica: $0, number: id.number) }
    }

    package func localID(of record: RecordID) -> LocalID? {
        ordinals[record.replica].map { LocalID(ordinal: $0, number: record.number) }
    }
}
