import AnabranchReplication
import Foundation

extension ConflictEntry: CustomStringConvertible {
    /// The entry as a line: `7: name of Country 1f2e3d4c/17 lost 'Gallia' by Ada,
    /// 2026-01-01T11:00:00Z, against 'Francia': Bob wrote later, 2026-01-01T12:00:00Z`.
    public var description: String {
        let place = "\(entity) \(record.replica.shortForm)/\(record.number)"
        let against = [winningValue?.description, cause].compactMap { $0 }.joined(separator: ": ")
        return "\(id): \(property.name.string) of \(place) lost \(value) by \(lost), "
            + "against \(against)"
    }

    /// The write or delete that discarded the value, without the winning value:
    /// `Bob wrote later, 2026-01-01T12:00:00Z`.
    public var cause: String {
        guard let winner else { return anonymousCause }
        return "\(winner.authorLabel) \(deed), \(winner.time)"
    }

    private var deed: String {
        switch kind {
        case .concurrentWrite: property.rule == .firstWriter ? "wrote first" : "wrote later"
        case .writeToDeleted: "had deleted it"
        case .deletedWhileWritten, .deletedWithRecord: "deleted it"
        case .linkToDeleted: "deleted an end"
        case .replacedByRepair: "is the zone's value"
        }
    }

    private var anonymousCause: String {
        switch kind {
        case .concurrentWrite: "another write"
        case .writeToDeleted: "it had been deleted"
        case .deletedWhileWritten, .deletedWithRecord: "it was deleted"
        case .linkToDeleted: "an end was deleted"
        case .replacedByRepair: "the zone does not have it"
        }
    }
}

extension ConflictEntry.Write: CustomStringConvertible {
    /// The author and the time: `Ada, 2026-01-01T11:00:00Z`.
    public var description: String { "\(authorLabel), \(time)" }

    /// The name of the author, or the first digits of the replica if the author gave none.
    package var authorLabel: String { author.isEmpty ? stamp.replica.shortForm : author }

    /// The time to the second, in ISO 8601.
    fileprivate var time: String {
        let seconds = max(stamp.timestamp.wallMilliseconds, 0) / 1000
        return Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    }
}

extension ReplicaID {
    /// The first digits, which tell the replicas of an app apart.
    fileprivate var shortForm: String { String(description.prefix(8)) }
}
