import AnabranchStore
public import Foundation

extension FetchedResultsController {
    var state: ResultsState? { tracker?.state }

    /// The result; `nil` until it was fetched.
    public var fetchedObjects: FetchedObjects<Object>? {
        guard let state, let source else { return nil }
        return FetchedObjects(state, source)
    }

    /// The result as names and IDs; `nil` until it was fetched.
    public var snapshot: FetchedResultsSnapshot? {
        state.map { FetchedResultsSnapshot($0, managedObjectContext.coordinator.origin) }
    }

    /// The object at a place; `nil` where there is none.
    public func object(at indexPath: IndexPath) -> Object? {
        guard indexPath.count == 2, let state, let source,
            let index = state.index(section: indexPath.section, item: indexPath.item)
        else { return nil }
        return unsafeDowncast(source.object(at: index, in: state), to: Object.self)
    }

    /// Where an object is; `nil` where it is not in the result.
    public func indexPath(forObject object: Object) -> IndexPath? {
        indexPath(forObjectWith: object.objectID)
    }

    /// Where the object of an ID is; `nil` where it is not in the result.
    public func indexPath(forObjectWith objectID: ManagedObjectID) -> IndexPath? {
        guard let tracker, objectID.belongs(to: managedObjectContext.coordinator.origin),
            let entry = tracker.entry(of: objectID.localID),
            let index = tracker.state.index(of: entry, tracker.plan),
            tracker.state.window.contains(index)
        else { return nil }
        return tracker.state.indexPath(at: index - tracker.state.window.lowerBound)
    }
}

// Sections.
extension FetchedResultsController {
    /// In their order; one, whatever there is in it, of a result without a section key path;
    /// `nil` until it was fetched. Costs time in proportion to their number.
    public var sections: [FetchedResultsSection<Object>]? {
        guard let state, let source else { return nil }
        var start = 0
        return state.sections.map { run in
            defer { start += run.count }
            let range = start..<start + run.count
            return section(named: run.name, FetchedObjects(state, source, range))
        }
    }

    func section(
        named name: String, _ objects: FetchedObjects<Object>
    ) -> FetchedResultsSection<Object> {
        FetchedResultsSection(
            name: name, indexTitle: sectionIndexTitle(forSectionName: name), objects: objects)
    }

    /// The titles of all sections, each once where neighbours share it; empty until the result
    /// was fetched.
    public var sectionIndexTitles: [String] {
        guard let state else { return [] }
        var titles: [String] = []
        for run in state.sections {
            guard let title = sectionIndexTitle(forSectionName: run.name), title != titles.last
            else { continue }
            titles.append(title)
        }
        return titles
    }

    /// The first section that has a title of the index.
    ///
    /// - Parameter index: The title's in ``sectionIndexTitles``.
    /// - Returns: `nil` where the title is not there.
    public func section(forSectionIndexTitle title: String, at index: Int) -> Int? {
        guard let state else { return nil }
        var last: String?
        var number = -1
        for (section, run) in state.sections.enumerated() {
            guard let own = sectionIndexTitle(forSectionName: run.name), own != last else {
                continue
            }
            last = own
            number += 1
            if number == index { return own == title ? section : nil }
        }
        return nil
    }

    /// What an index beside a list has for a section: what ``sectionIndexTitle`` says, else the
    /// delegate, else the first letter of the name as a capital.
    public func sectionIndexTitle(forSectionName name: String) -> String? {
        if let sectionIndexTitle { return sectionIndexTitle(name) }
        if let delegate { return delegate.controller(self, sectionIndexTitleForSectionName: name) }
        return defaultSectionIndexTitle(forSectionName: name)
    }

    /// The first letter of the name as a capital; `nil` of an empty name.
    public func defaultSectionIndexTitle(forSectionName name: String) -> String? {
        name.first.map { $0.uppercased() }
    }
}

extension ResultsState {
    /// - Parameter index: In the window.
    func indexPath(at index: Int) -> IndexPath {
        let place = place(at: index)
        return IndexPath(item: place.item, section: place.section)
    }
}
