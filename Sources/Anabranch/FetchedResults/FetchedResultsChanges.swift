public import Foundation

/// What one event has done to a result, as a batch: all changes are between the result before the
/// event and the one after it.
///
/// Applied by anybody who does it as table views do, they lead from the one to the other: take
/// out deleted and moved objects by their old places, take out deleted sections, put in new
/// sections, put in new and moved objects by their new places. As few objects move as can be.
public struct FetchedResultsChanges: Sendable {
    public struct SectionChange: Hashable, Sendable {
        public let name: String
        public let kind: FetchedResultsSectionChangeType
        /// Of an insertion in the sections after the event, of a deletion in those before it.
        public let index: Int
    }

    public struct ObjectChange: Hashable, Sendable {
        public let objectID: ManagedObjectID
        public let kind: FetchedResultsChangeType
        /// Where the object was before the event; `nil` of an insertion.
        public let indexPath: IndexPath?
        /// Where it is after the event; `nil` of a deletion.
        public let newIndexPath: IndexPath?
    }

    /// Deletions from the last section to the first, then insertions from the first to the last.
    public internal(set) var sections: [SectionChange] = []
    /// Deletions from the last object to the first, insertions from the first to the last, moves,
    /// then updates.
    public internal(set) var objects: [ObjectChange] = []

    public var isEmpty: Bool { sections.isEmpty && objects.isEmpty }
}

/// What has happened to an object of a result.
public enum FetchedResultsChangeType: Hashable, Sendable {
    /// It is new in the result: inserted, or changed so that the predicate holds.
    case insert
    /// It is no longer in the result: deleted, or changed so that the predicate does not hold.
    case delete
    /// It stands elsewhere among the others, or in another section, and its values have changed.
    case move
    /// Its values have changed, and it stands where it was among the others.
    case update
}

/// What has happened to a section of a result.
public enum FetchedResultsSectionChangeType: Hashable, Sendable {
    case insert, delete
}
