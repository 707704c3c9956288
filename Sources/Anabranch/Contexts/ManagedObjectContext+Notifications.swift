public import Foundation

extension ManagedObjectContext {
    /// Posted once per event in which objects of this context were changed, refreshed or deleted,
    /// or in which it merged insertions of another context.
    public static let objectsDidChange = Notification.Name("AnabranchContextObjectsDidChange")
    /// Posted before a save writes; changes made by an observer are saved too. It has no payload,
    /// and comes before the objects' own ``ManagedObject/willSave()``.
    public static let willSave = Notification.Name("AnabranchContextWillSave")
    /// Posted after a save has been written and the objects' own ``ManagedObject/didSave()`` have
    /// run. A save without changes posts nothing.
    public static let didSave = Notification.Name("AnabranchContextDidSave")
    /// Posted after ``didSave``, with the same changes as object IDs.
    public static let didSaveObjectIDs = Notification.Name("AnabranchContextDidSaveObjectIDs")
    /// Posted after changes that another context or replica saved were merged into the registered
    /// objects.
    public static let didMergeChangesObjectIDs = Notification.Name(
        "AnabranchContextDidMergeChangesObjectIDs")

    enum NotificationKind {
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

    /// - Parameter objects: Returns the objects of the changes that are at hand.
    func post(
        _ occasion: NotificationKind, _ changes: ObjectIDChanges?,
        among objects: (() -> [ManagedObject])? = nil
    ) {
        var changes = changes
        changes?.number = eventNumbers[occasion, default: 0] + 1
        eventNumbers[occasion] = changes?.number
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

    /// Returns a sequence of the changes of this context's objects from now on, one element per
    /// event.
    ///
    /// This sequence, ``saves()`` and ``merges()`` end with the context. Stop iterating to
    /// unsubscribe. A reader that is slow misses events, see ``ObjectIDChanges/number``.
    /// ``willSave`` has no sequence, because its observers must run while the save
    /// waits.
    public func objectChanges() -> AsyncStream<ObjectIDChanges> { changeListeners.stream() }

    /// Returns a sequence of this context's saves from now on, one element per save.
    public func saves() -> AsyncStream<ObjectIDChanges> { saveListeners.stream() }

    /// Returns a sequence of the remote changes that this context merges from now on, one element
    /// per merge.
    public func merges() -> AsyncStream<ObjectIDChanges> { mergeListeners.stream() }
}

extension Notification {
    static let objectIDChangesKey = "AnabranchObjectIDChanges"
    static let changedObjectsKey = "AnabranchChangedObjects"

    /// The changes that a notification of a context reports; `nil` for any other notification.
    public var objectIDChanges: ObjectIDChanges? {
        userInfo?[Self.objectIDChangesKey] as? ObjectIDChanges
    }

    /// The changed objects that ``ManagedObjectContext/objectsDidChange`` and
    /// ``ManagedObjectContext/didSave`` report; `nil` for any other notification. Use them on the
    /// queue of the posting context only.
    public var changedObjects: ChangedObjects? {
        userInfo?[Self.changedObjectsKey] as? ChangedObjects
    }
}
