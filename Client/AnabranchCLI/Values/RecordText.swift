import Anabranch
import Foundation

/// Formats the identities of records, replicas and change sets for output.
enum RecordText {
    /// The number of digits that identify a replica in output.
    static let shortDigits = 8

    /// The short form of a record's identity, `1f2e3d4c/17`.
    static func short(_ record: RecordID) -> String {
        "\(short(record.replica))/\(record.number)"
    }

    static func long(_ record: RecordID) -> String { "\(record.replica)/\(record.number)" }

    static func short(_ replica: ReplicaID) -> String {
        String(replica.description.prefix(shortDigits))
    }

    /// The short form of a dot, `1f2e3d4c:5`.
    static func short(_ dot: Dot) -> String { "\(short(dot.replica)):\(dot.sequence)" }
}

/// The two texts that name a record in output: its short identity and its URI.
struct RecordLabel {
    let short: String
    /// The URI of the record: `anabranch://replica/entity/number`.
    let uri: String

    /// Reads the names of an object.
    ///
    /// - Throws: ``StoreError`` if the store does not know the record's replica.
    init(_ object: ManagedObjectID) throws {
        short = RecordText.short(try object.recordID)
        uri = object.uriRepresentation.absoluteString
    }
}
