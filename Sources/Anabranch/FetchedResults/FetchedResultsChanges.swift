public import Foundation

/// The changes that one event has made to a result, as a batch from the result before the event to
/// the result after it.
///
/// Apply them as a table view does: remove deleted and moved objects by their old index paths,
/// remove deleted sections, insert new sections, then insert new and moved objects by their new
/// index paths. The number of moves is the smallest possible.
public struct FetchedResultsChanges: Sendable {
    /// The insertion or deletion of a section.
    public struct SectionChange: Hashable, Sendable {
        /// The name of the section.
        public let name: String
        /// The kind of change, an insertion or a deletion.
        public let kind: FetchedResultsChangeType
        /// The index of the section: for an insertion among the sections after the event, for a
        /// deletion among those before it.
        public let index: Int
    }

    /// The change of one object of the result.
    public struct ObjectChange: Hashable, Sendable {
        /// The ID of the object.
        public let objectID: ManagedObjectID
        /// The kind of change.
        public let kind: FetchedResultsChangeType
        /// The object's index path before the event; `nil` for an insertion.
        public let indexPath: IndexPath?
        /// The object's index path after the event; `nil` for a deletion.
        public let newIndexPath: IndexPath?
    }

    /// The section changes: deletions from the last section to the first, then insertions from the
    /// first to the last.
    public internal(set) var sections: [SectionChange] = []
    /// The object changes: deletions from the last object to the first, insertions from the first
    /// to the last, moves, then updates.
    public internal(set) var objects: [ObjectChange] = []

    /// The number of this event among those of its controller, from 1.
    ///
    /// A sequence keeps at most 1,024 events for a slow reader. Where it dropped earlier ones,
    /// their numbers are missing. Then read the result anew on the context's queue, with
    /// ``FetchedResultsController/lastChangeNumber``, and pass over the events up to that number.
    public internal(set) var number: UInt64 = 0

    /// True if nothing has changed.
    public var isEmpty: Bool { sections.isEmpty && objects.isEmpty }
}

/// The kinds of change of an object in a result. A section is only inserted and deleted.
///
/// It is closed: only a new major version adds a case.
public enum FetchedResultsChangeType: Hashable, Sendable {
    /// The object is new in the result: it was inserted, or it changed and now matches the
    /// predicate.
    case insert
    /// The object is no longer in the result: it was deleted, or it changed and no longer matches
    /// the predicate.
    case delete
    /// The object has changed and has another place among the other objects, or another section.
    case move
    /// The object has changed and has kept its place among the other objects.
    case update
}
