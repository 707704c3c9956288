public import Foundation

extension ManagedObjectContext {
    /// Objects were changed, refreshed or deleted here, or another context has inserted objects
    /// and this one has merged that; posted once per event.
    public static let objectsDidChange = Notification.Name("AnabranchContextObjectsDidChange")
    /// A save is about to write; changes made now are saved too. It has no changes, and comes
    /// before the objects' own `willSave`.
    public static let willSave = Notification.Name("AnabranchContextWillSave")
    /// A save has been written, after the objects' own `didSave`. A save that had nothing to
    /// write posts nothing.
    public static let didSave = Notification.Name("AnabranchContextDidSave")
    /// A save has been written; after `didSave`, with the same changes.
    public static let didSaveObjectIDs = Notification.Name("AnabranchContextDidSaveObjectIDs")
    /// Changes made elsewhere were merged into the registered objects.
    public static let didMergeChangesObjectIDs = Notification.Name(
        "AnabranchContextDidMergeChangesObjectIDs")

    enum Occasion {
        case objectsDidChange, willSave, didSave, didMerge

        var names: [Notification.Name] {
            switch self {
            case .objectsDidChange: [ManagedObjectContext.objectsDidChange]
            case .willSave: [ManagedObjectContext.willSave]
            case .didSave: [ManagedObjectContext.didSave, ManagedObjectContext.didSaveObjectIDs]
            case .didMerge: [ManagedObjectContext.didMergeChangesObjectIDs]
            }
        }
    }

    /// - Parameter objects: Those that the changes tell of, as far as they are at hand.
    func post(
        _ occasion: Occasion, _ changes: ObjectIDChanges?,
        among objects: (() -> [ManagedObject])? = nil
    ) {
        var content: [AnyHashable: Any] = [:]
        if let changes { content[Notification.objectIDChangesKey] = changes }
        if let changes, let objects {
            content[Notification.changedObjectsKey] = ChangedObjects(
                changes, of: self, among: objects)
        }
        for name in occasion.names {
            NotificationCenter.default.post(
                name: name, object: self, userInfo: content.isEmpty ? nil : content)
        }
        guard let changes else { return }
        switch occasion {
        case .objectsDidChange: changeListeners.yield(changes)
        case .didSave: saveListeners.yield(changes)
        case .didMerge: mergeListeners.yield(changes)
        case .willSave: break
        }
    }

    /// The changes of this context's objects, event by event, from now on.
    ///
    /// This sequence and the two below end with the context; who stops iterating stops listening.
    /// What a save is about to write can only be told while it waits, so that ``willSave`` has no
    /// sequence.
    public func objectChanges() -> AsyncStream<ObjectIDChanges> { changeListeners.stream() }

    /// What this context saves from now on, save by save.
    public func saves() -> AsyncStream<ObjectIDChanges> { saveListeners.stream() }

    /// What this context merges from now on that was saved elsewhere.
    public func merges() -> AsyncStream<ObjectIDChanges> { mergeListeners.stream() }
}

extension Notification {
    static let objectIDChangesKey = "AnabranchObjectIDChanges"
    static let changedObjectsKey = "AnabranchChangedObjects"

    /// What a notification of a context tells; `nil` of any other notification.
    public var objectIDChanges: ObjectIDChanges? {
        userInfo?[Self.objectIDChangesKey] as? ObjectIDChanges
    }

    /// The objects themselves, of `objectsDidChange` and `didSave`, for code on the queue of the
    /// context that has posted it; `nil` of any other notification.
    public var changedObjects: ChangedObjects? {
        userInfo?[Self.changedObjectsKey] as? ChangedObjects
    }
}
