import AnabranchStore
import Foundation

extension FetchedResultsController {
    /// Returns a sequence of the changes of the result from now on, one element per event.
    ///
    /// The sequence ends with the controller. Stop iterating to unsubscribe. A reader that is slow
    /// misses events, see ``FetchedResultsChanges/number``.
    public func changes() -> AsyncStream<FetchedResultsChanges> { listeners.stream() }

    var isHeard: Bool {
        snapshotDelegate != nil || delegate != nil || !listeners.isEmpty
            || differenceDelegate != nil && !hasSections
    }

    func notify(_ update: ResultsUpdate) {
        let origin = managedObjectContext.coordinator.origin
        lastChangeNumber += 1
        if !listeners.isEmpty {
            var changes = update.changes(origin)
            changes.number = lastChangeNumber
            listeners.yield(changes)
        }
        if let snapshotDelegate {
            let snapshot = FetchedResultsSnapshot(
                update.new, origin, updated: update.updated.map { $0.entry.objectID(origin) })
            return snapshotDelegate.controller(self, didChangeContentWith: snapshot)
        }
        if let differenceDelegate, !hasSections {
            let changes = update.difference(origin)
            guard let difference = CollectionDifference(changes) else { return }
            return differenceDelegate.controller(
                self, didChangeContentWith: difference,
                updating: update.updated.map { $0.entry.objectID(origin) })
        }
        if let delegate { notify(delegate, update) }
    }

    private func notify(
        _ delegate: some FetchedResultsControllerDelegate<Object>, _ update: ResultsUpdate
    ) {
        guard let source else { return }
        delegate.controllerWillChangeContent(self)
        for change in update.sectionChanges {
            let run = change.kind == .insert ? update.new.sections[change.index] : nil
            let start = run.map { _ in update.new.sections.weight(before: change.index) } ?? 0
            let objects = FetchedObjects<Object>(
                update.new, source, start..<start + (run?.count ?? 0))
            delegate.controller(
                self, didChange: section(named: change.name, objects),
                atSectionIndex: change.index, for: change.kind)
        }
        for (kind, change) in update.objectChanges {
            delegate.controller(
                self,
                didChange: unsafeDowncast(source.object(of: change.entry), to: Object.self),
                at: change.old.map(update.old.indexPath), for: kind,
                newIndexPath: change.new.map(update.new.indexPath))
        }
        delegate.controllerDidChangeContent(self)
    }
}

extension ResultsUpdate {
    var sectionChanges: [FetchedResultsChanges.SectionChange] {
        deletedSections.reversed().map { .init(name: $0.name, kind: .delete, index: $0.index) }
            + insertedSections.map { .init(name: $0.name, kind: .insert, index: $0.index) }
    }

    var objectChanges: [(FetchedResultsChangeType, Change)] {
        deleted.reversed().map { (.delete, $0) } + inserted.map { (.insert, $0) }
            + moved.map { (.move, $0) } + updated.map { (.update, $0) }
    }

    func changes(_ origin: StoreOrigin) -> FetchedResultsChanges {
        var changes = FetchedResultsChanges()
        changes.sections = sectionChanges
        changes.objects = objectChanges.map { kind, change in
            .init(
                objectID: change.entry.objectID(origin), kind: kind,
                indexPath: change.old.map(old.indexPath),
                newIndexPath: change.new.map(new.indexPath))
        }
        return changes
    }

    func difference(_ origin: StoreOrigin) -> [CollectionDifference<ManagedObjectID>.Change] {
        var changes: [CollectionDifference<ManagedObjectID>.Change] = []
        for change in deleted + moved {
            guard let old = change.old else { continue }
            changes.append(
                .remove(
                    offset: old, element: change.entry.objectID(origin), associatedWith: change.new)
            )
        }
        for change in inserted + moved {
            guard let new = change.new else { continue }
            changes.append(
                .insert(
                    offset: new, element: change.entry.objectID(origin), associatedWith: change.old)
            )
        }
        return changes
    }
}
