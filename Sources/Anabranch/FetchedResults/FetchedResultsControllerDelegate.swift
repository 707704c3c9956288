public import Foundation

/// Who is told of every change of a result, one call each.
///
/// For one event the calls are: the content will change, all changes of sections, all changes of
/// objects, the content has changed; none where nothing in the result has changed. Places before
/// the event and after it are meant as ``FetchedResultsChanges`` has them. When the first call
/// comes the controller has the new result already.
///
/// Each method has a default that does nothing.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
    associatedtype Object: ManagedObject

    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

    /// - Parameters:
    ///   - section: As it is now; of a deleted one the name, without objects.
    ///   - index: Of an insertion among the sections now, of a deletion among those before.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChange section: FetchedResultsSection<Object>, atSectionIndex index: Int,
        for type: FetchedResultsSectionChangeType)

    /// - Parameters:
    ///   - indexPath: Where the object was; `nil` of an insertion.
    ///   - newIndexPath: Where it is; `nil` of a deletion. Of an update it differs from
    ///     `indexPath` where others came or went before the object.
    func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object,
        at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?)

    func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)

    /// What an index beside a list has for a section.
    func controller(
        _ controller: FetchedResultsController<Object>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?
}

extension FetchedResultsControllerDelegate {
    public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {}

    public func controller(
        _ controller: FetchedResultsController<Object>,
        didChange section: FetchedResultsSection<Object>, atSectionIndex index: Int,
        for type: FetchedResultsSectionChangeType
    ) {}

    public func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object,
        at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}

    public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}

    /// The default title: the first letter of the name, as a capital.
    public func controller(
        _ controller: FetchedResultsController<Object>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        controller.defaultSectionIndexTitle(forSectionName: sectionName)
    }
}

/// Who gets a result whole after each event that has changed it, and after each
/// ``FetchedResultsController/performFetch()``.
public protocol FetchedResultsSnapshotDelegate<Object>: AnyObject {
    associatedtype Object: ManagedObject

    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith snapshot: FetchedResultsSnapshot)
}

/// Who gets what has changed in a result without sections as a difference of its object IDs.
public protocol FetchedResultsDifferenceDelegate<Object>: AnyObject {
    associatedtype Object: ManagedObject

    /// - Parameters:
    ///   - difference: Of a move, both parts know of each other.
    ///   - updated: Objects that stand where they stood, with other values; the difference is
    ///     empty where there is nothing else.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith difference: CollectionDifference<ManagedObjectID>,
        updating updated: [ManagedObjectID])
}
