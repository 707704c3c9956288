public import Foundation

/// An object that receives every change of a result as single calls.
///
/// For one event the calls are: ``controllerWillChangeContent(_:)``, all changes of sections, all
/// changes of objects, ``controllerDidChangeContent(_:)``. An event that changes nothing in the
/// result makes no call. Index paths have the meaning described in ``FetchedResultsChanges``. The
/// controller already has the new result at the first call.
///
/// Each method has a default implementation.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
    /// The class of the result's objects.
    associatedtype Object: ManagedObject

    /// Called before the changes of an event are reported.
    func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)

    /// Called for each section that was inserted or deleted.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - section: The section as it is now; a deleted section has its name and no objects.
    ///   - index: The section's index: for an insertion among the sections now, for a deletion
    ///     among those before.
    ///   - type: The kind of change.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChange section: FetchedResultsSection<Object>, atSectionIndex index: Int,
        for type: FetchedResultsChangeType)

    /// Called for each object that was inserted, deleted, moved or updated.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - object: The object.
    ///   - indexPath: The object's index path before the event; `nil` for an insertion.
    ///   - type: The kind of change.
    ///   - newIndexPath: The object's index path now; `nil` for a deletion. For an update it
    ///     differs from `indexPath` if objects were inserted or deleted before it.
    func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object,
        at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?)

    /// Called after the changes of an event were reported.
    func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)

    /// Returns the title of a section in the index of a list.
    func controller(
        _ controller: FetchedResultsController<Object>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?
}

extension FetchedResultsControllerDelegate {
    /// Does nothing.
    public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {}

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>,
        didChange section: FetchedResultsSection<Object>, atSectionIndex index: Int,
        for type: FetchedResultsChangeType
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: FetchedResultsController<Object>, didChange object: Object,
        at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}

    /// Does nothing.
    public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}

    /// Returns the first letter of the section's name as a capital.
    public func controller(
        _ controller: FetchedResultsController<Object>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
        controller.defaultSectionIndexTitle(forSectionName: sectionName)
    }
}

/// An object that receives the whole result after each event that has changed it, and after each
/// ``FetchedResultsController/performFetch()``.
public protocol FetchedResultsSnapshotDelegate<Object>: AnyObject {
    /// The class of the result's objects.
    associatedtype Object: ManagedObject

    /// Called with the new result.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith snapshot: FetchedResultsSnapshot)
}

/// An object that receives the changes of a result without sections as a difference of object IDs.
public protocol FetchedResultsDifferenceDelegate<Object>: AnyObject {
    /// The class of the result's objects.
    associatedtype Object: ManagedObject

    /// Called after an event has changed the result.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - difference: The insertions and removals. The two parts of a move are associated with
    ///     each other. It is empty if objects were only updated.
    ///   - updated: The objects that have kept their place and have other values.
    func controller(
        _ controller: FetchedResultsController<Object>,
        didChangeContentWith difference: CollectionDifference<ManagedObjectID>,
        updating updated: [ManagedObjectID])
}
