package import AnabranchReplication
public import Foundation

/// One save, of this file or of another replica.
public struct HistoryTransaction: Sendable {
    /// The effect of one save on one object.
    public struct Change: Hashable, Sendable {
        /// The kinds of change.
        ///
        /// It is closed: only a new major version adds a case.
        public enum Kind: Hashable, Sendable {
            /// The save inserted the object.
            case insert
            /// The save changed properties of the object.
            case update
            /// The save deleted the object.
            case delete
        }

        /// The kind of change.
        public let kind: Kind
        /// The ID of the object.
        public let objectID: ManagedObjectID
        /// The names of the changed properties, sorted; empty unless the object was updated. A
        /// relationship appears only on the side that is stored.
        public let updatedProperties: [String]
    }

    /// The position of the transaction. Ask for the history after it to continue from here.
    public let position: HistoryPosition
    /// The replica that saved, and the number of the save among that replica's saves; `nil` for a
    /// save of objects that are kept in this store only.
    package let dot: Dot?
    /// The time that decides concurrent changes.
    package let timestamp: HybridTimestamp
    /// The `transactionAuthor` of the context that saved.
    public let author: String
    /// The name of the context that saved.
    public let contextName: String
    /// The changes of the save: insertions, then updates, then deletions.
    public let changes: [Change]

    /// The time of the save by the clock of the device that saved.
    public var date: Date { timestamp.date }

    /// The changes as object IDs, which can be merged into a context.
    public var objectIDChanges: ObjectIDChanges {
        func ids(_ kind: Change.Kind) -> [ManagedObjectID] {
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
