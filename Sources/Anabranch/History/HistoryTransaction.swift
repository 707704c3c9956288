public import AnabranchReplication
public import Foundation

/// A place in the history of one store file: everything up to one of its log's entries.
public struct HistoryPosition: Hashable, Sendable, Codable {
    public let rawValue: Int64

    /// - Parameter rawValue: What a position once had; of the same file.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Before the first transaction.
    public static let start = HistoryPosition(rawValue: 0)
}

extension HistoryPosition: Comparable {
    public static func < (left: HistoryPosition, right: HistoryPosition) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// One save, of this file or of another replica.
public struct HistoryTransaction: Sendable {
    /// Ask for the history after it to go on from here.
    public let position: HistoryPosition
    /// Whose save it was, and which one of that replica's.
    public let dot: Dot
    /// The time by which concurrent edits are decided.
    public let timestamp: HybridTimestamp
    /// The `transactionAuthor` of the context that saved.
    public let author: String
    /// The name of the context that saved.
    public let contextName: String
    public let changes: [HistoryChange]

    /// By the clock of the device that saved.
    public var date: Date {
        Date(timeIntervalSince1970: Double(timestamp.wallMilliseconds) / 1000)
    }

    /// The changes as IDs, to be merged into a context.
    public var objectIDChanges: ObjectIDChanges {
        func ids(_ kind: HistoryChange.Kind) -> [ManagedObjectID] {
            var seen: Set<ManagedObjectID> = []
            return changes.filter { $0.kind == kind }.map(\.objectID)
                .filter { seen.insert($0).inserted }
        }
        var all = ObjectIDChanges(
            inserted: ids(.insert), updated: ids(.update), deleted: ids(.delete))
        all.author = author
        all.position = position
        return all
    }
}

/// What one save did to one object.
public struct HistoryChange: Hashable, Sendable {
    public enum Kind: Hashable, Sendable { case insert, update, delete }

    public let kind: Kind
    public let objectID: ManagedObjectID
    /// Of an update, sorted by name; a relationship whose inverse is stored is not among them.
    public let updatedProperties: [String]
}
