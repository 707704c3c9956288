import Anabranch
import Foundation

/// The reference model of a table view, which changes only by the controller's reports.
///
/// It applies a batch as table views do. First it removes deleted and moved objects at their old
/// index paths. Then it removes old sections, adds new ones, and inserts objects at their new index
/// paths.
final class ResultsTable: FetchedResultsControllerDelegate {
    struct Section: Equatable {
        let name: String
        var ids: [ManagedObjectID]
    }

    private(set) var sections: [Section] = []
    /// The contradictions between the reports and the result.
    private(set) var mistakes: [String] = []
    private(set) var batches = 0
    /// The objects that were reported in the batches since the last check.
    private(set) var told: Set<ManagedObjectID> = []
    private(set) var moved: Set<ManagedObjectID> = []

    private var isOpen = false
    private var sectionChanges: [(FetchedResultsChangeType, String, Int)] = []
    private var removals: [(IndexPath, ManagedObjectID)] = []
    private var insertions: [(IndexPath, ManagedObjectID)] = []
    private var updates: [(IndexPath, IndexPath, ManagedObjectID)] = []
    private var isAmongObjects = false

    func load(_ results: FetchedResultsController<Person>) { sections = Self.read(results) }

    static func read(_ results: FetchedResultsController<Person>) -> [Section] {
        results.sections?.map { Section(name: $0.name, ids: Array($0.objects.objectIDs)) } ?? []
    }

    func look() {
        told = []
        moved = []
    }

    private func expect(_ condition: Bool, _ mistake: @autoclosure () -> String) {
        if !condition { mistakes.append(mistake()) }
    }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Person>) {
        expect(!isOpen, "two batches at once")
        isOpen = true
        isAmongObjects = false
        batches += 1
        sectionChanges = []
        removals = []
        insertions = []
        updates = []
    }

    func controller(
        _ controller: FetchedResultsController<Person>,
        didChange section: FetchedResultsSection<Person>, atSectionIndex index: Int,
        for type: FetchedResultsChangeType
    ) {
        expect(isOpen && !isAmongObjects, "a section behind objects")
        expect(type == .insert || section.numberOfObjects == 0, "a deleted section has objects")
        sectionChanges.append((type, section.name, index))
    }

    func controller(
        _ controller: FetchedResultsController<Person>, didChange object: Person,
        at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        expect(isOpen, "an object outside a batch")
        isAmongObjects = true
        let id = object.objectID
        told.insert(id)
        switch (type, indexPath, newIndexPath) {
        case (.insert, nil, let new?): insertions.append((new, id))
        case (.delete, let old?, nil): removals.append((old, id))
        case (.move, let old?, let new?):
            removals.append((old, id))
            insertions.append((new, id))
            moved.insert(id)
        case (.update, let old?, let new?): updates.append((old, new, id))
        default: mistakes.append("\(type) with \(indexPath as Any) and \(newIndexPath as Any)")
        }
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Person>) {
        expect(isOpen, "an end without a beginning")
        isOpen = false
        let count = sectionChanges.count + removals.count + insertions.count + updates.count
        expect(count > 0, "an empty batch")
        let before = sections
        for (old, _, id) in updates { expect(self.id(at: old) == id, "an update at \(old)") }
        remove()
        changeSections(before)
        insert()
        for (_, new, id) in updates { expect(self.id(at: new) == id, "an update to \(new)") }
        expect(sections == Self.read(controller), "the batch does not lead to the result")
        sections = Self.read(controller)
    }

    private func remove() {
        for (path, id) in removals.sorted(by: { $0.0 > $1.0 }) {
            guard self.id(at: path) == id else {
                mistakes.append("\(id) is not at \(path)")
                continue
            }
            sections[path.section].ids.remove(at: path.item)
        }
    }

    private func changeSections(_ before: [Section]) {
        for (_, name, index) in sectionChanges.filter({ $0.0 == .delete }).sorted(by: {
            $0.2 > $1.2
        }) {
            guard before.indices.contains(index), before[index].name == name else {
                mistakes.append("section \(name) is not at \(index)")
                continue
            }
            expect(sections[index].ids.isEmpty, "section \(name) goes with objects")
            sections.remove(at: index)
        }
        for (_, name, index) in sectionChanges.filter({ $0.0 == .insert }).sorted(by: {
            $0.2 < $1.2
        }) {
            guard index <= sections.count else {
                mistakes.append("section \(name) can't come to \(index)")
                continue
            }
            sections.insert(Section(name: name, ids: []), at: index)
        }
    }

    private func insert() {
        for (path, id) in insertions.sorted(by: { $0.0 < $1.0 }) {
            guard sections.indices.contains(path.section),
                path.item <= sections[path.section].ids.count
            else {
                mistakes.append("\(id) can't come to \(path)")
                continue
            }
            sections[path.section].ids.insert(id, at: path.item)
        }
    }

    private func id(at path: IndexPath) -> ManagedObjectID? {
        guard sections.indices.contains(path.section),
            sections[path.section].ids.indices.contains(path.item)
        else { return nil }
        return sections[path.section].ids[path.item]
    }
}
