public import Foundation

extension ManagedObjectContext {
    /// Objects were changed, refreshed or deleted here; posted once per event.
    public static let objectsDidChange = Notification.Name("AnabranchContextObjectsDidChange")
    /// A save is about to write; changes made now are saved too. It has no changes.
    public static let willSave = Notification.Name("AnabranchContextWillSave")
    /// A save has been written.
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

    func post(_ occasion: Occasion, _ changes: ObjectIDChanges?) {
        for name in occasion.names {
            NotificationCenter.default.post(
                name: name, object: self,
                userInfo: changes.map { [Notification.objectIDChangesKey: $0] })
        }
        if let changes, occasion == .objectsDidChange { observers.yield(changes) }
    }

    /// The changes of this context's objects, event by event, from now on.
    ///
    /// The sequence ends with the context; who stops iterating stops listening.
    public func objectChanges() -> AsyncStream<ObjectIDChanges> { observers.stream() }
}

extension Notification {
    static let objectIDChangesKey = "AnabranchObjectIDChanges"

    /// What a notification of a context tells; `nil` of any other notification.
    public var objectIDChanges: ObjectIDChanges? {
        userInfo?[Self.objectIDChangesKey] as? ObjectIDChanges
    }
}
