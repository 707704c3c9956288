import Anabranch
import Foundation

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
}

/// How a record is named in output.
struct RecordLabel {
    let short: String
    /// `anabranch://replica/entity/number`.
    let uri: String

    /// - Throws: ``StoreError`` where the store can't tell the record's replica.
    init(_ object: ManagedObjectID) throws {
        short = RecordText.short(try object.recordID)
        uri = try object.uriRepresentation.absoluteString
    }
}
