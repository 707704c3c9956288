package import AnabranchReplication

/// The replicas that a file knows, numbered from 0 in the order in which it learned of them.
package struct ReplicaTable: Sendable {
    package private(set) var replicas: [ReplicaID] = []
    private var ordinals: [ReplicaID: Int64] = [:]

    package init() {}

    package var count: Int64 { Int64(replicas.count) }

    package func ordinal(of replica: ReplicaID) -> Int64? { ordinals[replica] }

    /// The replica of an ordinal.
    ///
    /// - Parameter ordinal: An ordinal of this file; any other gives `nil`.
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
