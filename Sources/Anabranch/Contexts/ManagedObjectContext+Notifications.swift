public import Foundation

// Every notification and every sequence of a kind reports the same changes.
extension ManagedObjectContext {
    /// Posted once per event in which objects of this context were changed, refreshed or deleted,
    /// or in which it merged insertions of another context.
    ///
    /// The context posts a notification of an event, a save or a merge only if something in the
    /// process has asked for its name. So observe it by its name: an observer of every name
    /// (`nil`) may miss it.
    public static var objectsDidChange: Notification.Name { changeName.forObservers }
    /// Posted before a save writes; changes made by an observer are saved too. It has no payload,
    /// and comes before the objects' own ``ManagedObject/willSave()``.
    public static var willSave: Notification.Name { willSaveName.forObservers }
    /// Posted after a save has been written and the objects' own ``ManagedObject/didSave()`` have
    /// run. A save without changes posts nothing.
    public static var didSave: Notification.Name { saveName.forObservers }
    /// Posted after ``didSave``, with the same changes as object IDs.
    public static var didSaveObjectIDs: Notification.Name { saveIDsName.forObservers }
    /// Posted after changes that another context or replica saved were merged into the registered
    /// objects.
    public static var didMergeChangesObjectIDs: Notification.Name { mergeName.forObservers }

    private static let changeName = NotificationName("AnabranchContextObjectsDidChange")
    private static let willSaveName = NotificationName("AnabranchContextWillSave")
    private static let saveName = NotificationName("AnabranchContextDidSave")
    private static let saveIDsName = NotificationName("AnabranchContextDidSaveObjectIDs")
    private static let mergeName = NotificationName("AnabranchContextDidMergeChangesObjectIDs")

    enum NotificationKind {
        case objectsDidChange, didSave, didMerge

        fileprivate var names: [NotificationName] {
            switch self {
            case .objectsDidChange: Self.changeNames
            case .didSave: Self.saveNames
            case .didMerge: Self.mergeNames
            }
        }

        private static let changeNames = [changeName]
        private static let saveNames = [saveName, saveIDsName]
        private static let mergeNames = [mergeName]
    }

    /// Posts the notification that a save begins.
    func postWillSave() { Self.willSaveName.post(from: self) }

    /// Reports changes to the observers of their kind.
    ///
    /// - Parameters:
    ///   - changes: Returns the changes. It is called only if there can be an observer.
    ///   - objects: Returns the objects of the changes that are at hand.
    func post(
        _ kind: NotificationKind, _ changes: () -> ObjectIDChanges,
        among objects: (() -> [ManagedObject])? = nil
    ) {
        guard isObserved(kind) else { return }
        var changes = changes()
        changes.number = eventNumbers[kind, default: 0] + 1
        eventNumbers[kind] = changes.number
        if kind.names.contains(where: \.isObserved) {
            var content: [AnyHashable: Any] = [Notification.objectIDChangesKey: changes]
            if let objects {
                content[Notification.changedObjectsKey] = ChangedObjects(
                    changes, of: self, among: objects)
            }
            for name in kind.names { name.post(from: self) { content } }
        }
        listeners(of: kind).yield(changes)
    }

    /// False if certainly nothing observes changes of a kind.
    func isObserved(_ kind: NotificationKind) -> Bool {
        kind.names.contains(where: \.isObserved) || !listeners(of: kind).isEmpty
    }

    private func listeners(of kind: NotificationKind) -> EventStreams<ObjectIDChanges> {
        switch kind {
        case .objectsDidChange: changeListeners
        case .didSave: saveListeners
        case .didMerge: mergeListeners
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
