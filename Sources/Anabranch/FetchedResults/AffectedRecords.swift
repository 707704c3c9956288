import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// The records that an event may have changed or moved in a result, and the kind of change.
struct AffectedRecords {
    /// The kinds of change, in ascending order of what is known about the values.
    enum Kind: Int {
        /// The values did not change; a related object that the request uses did.
        case affected
        /// The values were read from the store again, and may be the same.
        case refreshed
        /// The values have changed.
        case changed
    }

    private(set) var ids: [LocalID: Kind] = [:]
    /// True if records can be concerned that no path leads to.
    private(set) var isUntraceable = false

    /// - Throws: `StoreError` if relationships can't be read.
    init(_ event: EventChanges, _ plan: ResultsPlan, in context: ManagedObjectContext) throws {
        addObjects(of: event, plan.fetch)
        addMerged(event, plan.fetch)
        let needed: ChangedRecords.Extent =
            plan.dependencies.isEmpty ? .withoutFormerEnds : .complete
        if event.extent > needed { isUntraceable = true }
        for dependency in plan.dependencies where dependency.canTrace {
            try follow(dependency, event, in: context)
        }
    }

    var isEmpty: Bool { ids.isEmpty }

    private mutating func add(_ id: LocalID, _ kind: Kind) {
        guard let known = ids[id], known.rawValue >= kind.rawValue else {
            ids[id] = kind
            return
        }
    }

    private mutating func addObjects(of event: EventChanges, _ plan: FetchPlan) {
        for object in event.touched where plan.includes(object.entity) {
            add(object.localID, object.hasChanges ? .changed : .refreshed)
        }
        for object in event.refreshed where plan.includes(object.entity) {
            add(object.localID, event.bereft.contains(object) ? .changed : .refreshed)
        }
        for object in event.vanished + event.invalidated where plan.includes(object.entity) {
            add(object.localID, .refreshed)
        }
    }

    private mutating func addMerged(_ event: EventChanges, _ plan: FetchPlan) {
        for entity in event.merged where plan.includes(entity.entity) {
            for id in entity.inserted { add(id, .refreshed) }
            for id in entity.updatedIDs { add(id, .changed) }
            for id in entity.deleted { add(id, .refreshed) }
        }
        for (old, new) in event.renamed {
            add(old, .refreshed)
            add(new, .refreshed)
        }
    }
}

// Records that are concerned by related objects.
extension AffectedRecords {
    private mutating func follow(
        _ dependency: RelationshipDependency, _ event: EventChanges,
        in context: ManagedObjectContext
    ) throws {
        var ends: Set<LocalID> = []
        var gone: Set<LocalID> = []
        func isAtEnd(_ object: ManagedObject) -> Bool {
            object.entity.isKind(of: dependency.destination)
        }
        for object in event.touched where isAtEnd(object) {
            // An object that points to a pending deletion that may be denied has kept the
            // reference.
            guard
                event.broughtBack.contains(object)
                    || dependency.isConcerned(by: object, since: event.earlierValues[object])
            else { continue }
            ends.insert(object.localID)
        }
        let merged = event.merged.filter { $0.entity.isKind(of: dependency.destination) }
        let updated = Set(merged.lazy.flatMap(\.updatedIDs))
        for object in event.refreshed
        where isAtEnd(object) && !updated.contains(object.localID) {
            ends.insert(object.localID)
        }
        for object in event.invalidated where isAtEnd(object) { ends.insert(object.localID) }
        for object in event.vanished where isAtEnd(object) {
            // Objects that pointed to a record that was never saved were notified in memory.
            if object.version != .none { gone.insert(object.localID) }
        }
        for entity in merged {
            ends.formUnion(entity.inserted)
            for update in entity.updated where update.slots.slots.contains(where: dependency.looks)
            {
                ends.formUnion(update.ids)
            }
            gone.formUnion(entity.deleted)
        }
        if !gone.isEmpty, !dependency.canTraceDeleted {
            isUntraceable = true
            return
        }
        let trace = DependencyTrace(context: context, dependency: dependency)
        for id in try trace.beginnings(of: ends.union(gone)) { add(id, .affected) }
    }
}

extension RelationshipDependency {
    fileprivate func looks(at slot: Int) -> Bool { slots.contains(slot) }
}

// Comparison of values.
extension AffectedRecords {
    /// Returns true if the values of an entry that stays in the result may have changed.
    ///
    /// If the record was read from the store again, it compares row versions and sort keys. It can
    /// then return true although all values are the same. If only a related object changed, it
    /// compares the sort keys.
    func isChanged(_ before: ResultEntry, _ after: ResultEntry) -> Bool {
        switch ids[after.id] {
        case .changed: true
        case .refreshed: Self.haveDifferentRows(before, after)
        case .affected, nil: before.keys != after.keys
        }
    }

    /// Returns true if one of two entries is unsaved, or if they can come from different rows.
    static func haveDifferentRows(_ before: ResultEntry, _ after: ResultEntry) -> Bool {
        before.isEdited || after.isEdited || before.version != after.version
            || before.version == .none || before.keys != after.keys
    }
}
