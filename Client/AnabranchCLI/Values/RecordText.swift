import Anabranch

/// Identities of records and change sets as they are shown and typed.
enum RecordText {
    /// What tells one replica from another among a few.
    static let shortDigits = 8

    /// `1f2e3d4c/17`: the beginning of the replica and the number.
    static func short(_ record: RecordID) -> String {
        "\(short(record.replica))/\(record.number)"
    }

    static func long(_ record: RecordID) -> String { "\(record.replica)/\(record.number)" }

    static func short(_ replica: ReplicaID) -> String {
        String(replica.description.prefix(shortDigits))
    }

    /// `1f2e3d4c:5`.
    static func short(_ dot: Dot) -> String { "\(short(dot.replica)):\(dot.sequence)" }

    static func short(_ object: ManagedObjectID) -> String { short(object.recordID) }
}
