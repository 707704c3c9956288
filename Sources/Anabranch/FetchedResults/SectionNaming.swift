import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// How the objects of a result get the names of their sections.
struct SectionNaming {
    /// The index of the sort key that decides the place of a section.
    let key: Int
    /// Returns the name of an object's section; `nil` if the value of the sort key is the name.
    let name: ((ManagedObject) -> String)?
    /// True if the sorts alone do not keep the objects of a section together.
    let hasToBeChecked: Bool

    /// Prepares sections.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the names; `nil` if there is a closure.
    ///   - name: A closure that returns the names.
    ///   - request: Gets a further sort if the objects of a section would otherwise be mixed.
    /// - Throws: ``FetchedResultsError`` if there is no property at the key path.
    /// - Returns: `nil` without sections.
    init?<Object>(
        _ keyPath: String?, _ name: ((Object) -> String?)?, of request: inout FetchRequest<Object>,
        _ entity: EntityDescription
    ) throws {
        guard let sort = request.sorts.first, keyPath != nil || name != nil else { return nil }
        if let name {
            self.init(key: 0, hasToBeChecked: true) { object in
                (object as? Object).flatMap(name) ?? ""
            }
        } else if let keyPath, Self.isTransient(keyPath, of: entity) {
            self.init(key: 0, hasToBeChecked: true) { SectionName.of($0[keyPath]) }
        } else if let keyPath {
            try Self.check(keyPath, of: entity)
            // Names that are equal under the sort's options would otherwise be mixed.
            let isSort = sort.keyPath == keyPath
            let isExact = isSort && sort.options.isEmpty
            if !isExact {
                request.sorts.insert(FetchSort(keyPath, ascending: sort.isAscending), at: 1)
            }
            self.init(key: isExact ? 0 : 1, hasToBeChecked: !isSort)
        } else {
            return nil
        }
    }

    private init(key: Int, hasToBeChecked: Bool, name: ((ManagedObject) -> String)? = nil) {
        self.key = key
        self.name = name
        self.hasToBeChecked = hasToBeChecked
    }

    private static func isTransient(_ keyPath: String, of entity: EntityDescription) -> Bool {
        if case .attribute(let attribute)? = entity.property(named: keyPath) {
            return attribute.isTransient
        }
        return false
    }

    private static func check(_ keyPath: String, of entity: EntityDescription) throws {
        let first = keyPath.split(separator: ".").first.map(String.init) ?? keyPath
        guard entity.property(named: first) == nil,
            entity.compositeAttribute(named: first) == nil
        else { return }
        throw FetchedResultsError(
            code: .unknownSections,
            message: "Can't make sections of \(entity.name) by '\(keyPath)' because \(entity.name) "
                + "has no property '\(first)'; pass a property that the class computes as "
                + "`sectionName: { $0.\(keyPath) }`.", entity: entity.name, keyPath: keyPath)
    }
}

extension ResultsPlan {
    /// Names the sections of entries that were read, as far as sort keys do not.
    func named(_ entries: [ResultEntry]) -> [ResultEntry] {
        guard let name = naming?.name else { return entries }
        for entry in entries where entry.sectionName == nil {
            entry.sectionName = entry.object.map(name)
        }
        return entries
    }

    /// Checks that the objects of each section are neighbours.
    ///
    /// - Throws: ``FetchedResultsError`` with the two objects between which a section begins again.
    func checkSections(of state: ResultsState, in context: ManagedObjectContext) throws {
        guard let naming, naming.hasToBeChecked else { return }
        var ended: Set<[UInt8]> = []
        var last: (name: String, entry: ResultEntry)?
        for index in 0..<state.count {
            let entry = state.entry(at: index)
            let name = sectionName(of: entry)
            if let last, !SectionName.areEqual(last.name, name) {
                ended.insert(Array(last.name.utf8))
                guard !ended.contains(Array(name.utf8)) else {
                    throw disorder((last.name, last.entry), (name, entry), in: context)
                }
            }
            last = (name, entry)
        }
    }

    private func disorder(
        _ before: (name: String, entry: ResultEntry), _ after: (name: String, entry: ResultEntry),
        in context: ManagedObjectContext
    ) -> FetchedResultsError {
        let origin = context.coordinator.origin
        let ids = [before.entry.objectID(origin), after.entry.objectID(origin)]
        return FetchedResultsError(
            code: .unsortedSections,
            message:
                "Can't make sections of \(fetch.entity.name) because the first sort has another "
                + "order than their names: \(ids[1]) of section '\(after.name)' comes after "
                + "\(ids[0]) of section '\(before.name)', and '\(after.name)' began before that. "
                + "Sort first by what decides the order of the sections.",
            entity: fetch.entity.name, keyPath: sectionNameKeyPath, objectIDs: ids)
    }
}
