import AnabranchReplication
import Foundation

/// The JSON that the operator's hook receives: the change sets of a push that are new to the zone.
///
/// The form is version 1. A later version may add keys, but never changes or removes one. It is
/// described in `Documentation/Operations.md`.
struct ValidationRequest: Encodable, Sendable {
    /// The version of the form, in requests and in answers.
    static let version = 1

    let version = Self.version
    /// The number of the call, which the answer repeats.
    let id: UInt64
    let zone: String
    let author: ValidationAuthor
    let changeSets: [ShownChangeSet]

    private enum CodingKeys: String, CodingKey {
        case version, id, zone, request, token, subject, address, changeSets
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encode(id, forKey: .id)
        try container.encode(zone, forKey: .zone)
        try container.encodeIfPresent(author.request, forKey: .request)
        try container.encodeIfPresent(author.token, forKey: .token)
        try container.encodeIfPresent(author.subject, forKey: .subject)
        try container.encodeIfPresent(author.address, forKey: .address)
        try container.encode(changeSets, forKey: .changeSets)
    }

    /// The JSON on one line, without a line feed.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return Array(try encoder.encode(self))
    }
}

/// The right that a push used, its request and its address; all are absent for a caller in this
/// process.
struct ValidationAuthor: Hashable, Sendable {
    var request: String?
    var token: Int64?
    var subject: String?
    var address: String?
}

/// A change set in the form that the hook receives.
///
/// A save in parts is shown as its parts, each like a save of its own with the same replica and
/// sequence number.
struct ShownChangeSet: Encodable, Sendable {
    let replica: String
    let sequence: UInt64
    let time: String
    /// The author and the purpose that the app set; empty if it set none.
    let author: String
    let name: String
    /// The number of the part, from 1, and of all parts; `nil` for a save that is not in parts.
    let part: Int?
    let parts: Int?
    let changes: [ShownChange]

    /// Creates the form of a save, or of one of its parts.
    ///
    /// - Parameters:
    ///   - part: The number of the part, from 1, and of all parts.
    ///   - blocks: The changes of the save or the part.
    init(_ changeSet: ChangeSet, part: (number: Int, count: Int)? = nil, blocks: [ChangeBlock]) {
        replica = changeSet.dot.replica.description
        sequence = changeSet.dot.sequence
        time = ShownTime.text(wallMilliseconds: changeSet.timestamp.wallMilliseconds)
        author = changeSet.author
        name = changeSet.name
        self.part = part?.number
        parts = part?.count
        changes = blocks.flatMap { ShownChange.all(of: $0) }
    }
}
