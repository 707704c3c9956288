import AnabranchReplication
import Foundation

/// The JSON that the operator's hook receives: the change sets of a push that are new to the zone.
///
/// The form is version 1. A later version may add keys, but never changes or removes one. It is
/// described in `Documentation/Operations.md`. Change by change is written to its bytes, and no
/// other form of a change is in memory.
struct ValidationRequest: Sendable {
    /// The version of the form, in requests and in answers.
    static let version = 1

    private let zone: String
    private let author: ValidationAuthor
    private var json: ShownJSON
    private(set) var count = 0

    /// Creates a request without change sets.
    ///
    /// - Parameter reserve: Called before its bytes grow, with their memory then; false if there is
    ///   not so much. `nil` for no limit.
    ///
    /// - Throws: `ShownJSON.NoRoom` if there is no memory.
    init(
        zone: String, author: ValidationAuthor,
        reserving reserve: (@Sendable (_ byteCount: Int) -> Bool)? = nil
    ) throws(ShownJSON.NoRoom) {
        self.zone = zone
        self.author = author
        json = ShownJSON(reserving: reserve)
        try json.append("{")
        if let address = author.address {
            try json.append(#""address":"#)
            try json.append(quoted: address)
            try json.append(",")
        }
        try json.append(#""changeSets":["#)
    }

    /// The number of bytes up to now.
    var byteCount: Int { json.bytes.count }

    /// Adds a save, or one of its parts, which is shown like a save of its own with the same
    /// replica and sequence number.
    ///
    /// - Parameters:
    ///   - part: The number of the part, from 1, and of all parts.
    ///   - appendChanges: Adds the changes of the save or the part to the list.
    ///
    /// - Throws: `ShownJSON.NoRoom` if there is no memory, or the error of `appendChanges`. Then
    ///   the request is as it was before.
    mutating func append(
        _ changeSet: ChangeSet, part: (number: Int, count: Int)? = nil,
        _ appendChanges: (inout ShownJSON) throws -> Void
    ) throws {
        let start = json.bytes.count
        do {
            try json.beginItem()
            try json.append(#"{"author":"#)
            try json.append(quoted: changeSet.author)
            try json.append(#","changes":["#)
            try appendChanges(&json)
            try json.append(#"],"name":"#)
            try json.append(quoted: changeSet.name)
            if let part { try json.append(#","part":\#(part.number),"parts":\#(part.count)"#) }
            try json.append(#","replica":"\#(changeSet.dot.replica)""#)
            try json.append(#","sequence":\#(changeSet.dot.sequence),"time":"#)
            try json.append(
                quoted: ShownTime.text(
                    wallMilliseconds: changeSet.timestamp.wallMilliseconds))
            try json.append("}")
            count += 1
        } catch {
            json.cut(to: start)
            throw error
        }
    }

    /// Ends the request. No change set is added afterwards.
    ///
    /// - Parameter id: The number of the call, which the answer repeats.
    ///
    /// - Returns: The JSON on one line, with the line feed at its end.
    mutating func finish(id: UInt64) throws(ShownJSON.NoRoom) -> [UInt8] {
        try json.append(#"],"id":\#(id)"#)
        for (key, value) in [("request", author.request), ("subject", author.subject)] {
            guard let value else { continue }
            try json.append(#","\#(key)":"#)
            try json.append(quoted: value)
        }
        if let token = author.token { try json.append(#","token":\#(token)"#) }
        try json.append(#","version":\#(Self.version),"zone":"#)
        try json.append(quoted: zone)
        try json.append("}\n")
        return json.bytes
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
