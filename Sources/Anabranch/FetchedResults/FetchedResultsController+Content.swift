import AnabranchStore
public import Foundation

extension FetchedResultsController {
    var state: ResultsState? { tracker?.state }

    /// The objects of the result; `nil` until it was fetched.
    public var fetchedObjects: FetchedObjects<Object>? {
        guard let state, let source else { return nil }
        return FetchedObjects(state, source)
    }

    /// The result as section names and object IDs; `nil` until it was fetched.
    public var snapshot: FetchedResultsSnapshot? {
        state.map { FetchedResultsSnapshot($0, managedObjectContext.coordinator.origin) }
    }

    /// Returns the object at an index path; `nil` if there is none.
    public func object(at indexPath: IndexPath) -> Object? {
        guard indexPath.count == 2, let state, let source,
            let index = state.index(section: indexPath.section, item: indexPath.item)
        else { return nil }
        return unsafeDowncast(source.object(at: index, in: .tracked(state)), to: Object.self)
    }

    /// Returns the index path of an object; `nil` if it is not in the result.
    public func indexPath(forObject object: Object) -> IndexPath? {
        indexPath(forObjectWith: object.objectID)
    }

    /// Returns the index path of the object with an ID; `nil` if it is not in the result.
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
    /// The sections in their order; `nil` until the result was fetched. A result without a section
    /// key path has one section, which can be empty. The cost is proportional to the number of
    /// sections.
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

    /// The index titles of all sections in order; neighbours with the same title share one entry.
    /// It is empty until the result was fetched.
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

    /// Returns the index of the first section that has an index title.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - index: The position of the title in ``sectionIndexTitles``.
    /// - Returns: `nil` if the title is not at that position.
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

    /// Returns the title of a section in the index of a list: from ``sectionIndexTitle``,
    /// otherwise from the delegate, otherwise the first letter of the name as a capital.
    public func sectionIndexTitle(forSectionName name: String) -> String? {
        if let sectionIndexTitle { return sectionIndexTitle(name) }
        if let delegate { return delegate.controller(self, sectionIndexTitleForSectionName: name) }
        return defaultSectionIndexTitle(forSectionName: name)
    }

    /// Returns the first letter of a section's name as a capital; `nil` for an empty name.
    public func defaultSectionIndexTitle(forSectionName name: String) -> String? {
        name.first.map { $0.uppercased() }
    }
}

extension ResultsState {
    /// - Parameter index: An index in the window.
    func indexPath(at index: Int) -> IndexPath {
        let place = place(at: index)
        return IndexPath(item: place.item, section: place.section)
    }
}
