import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Objects that would hold one unique key, in the order in which they would be saved one after the
/// other.
struct KeyContest {
    let conflict: KeyConflict
    /// Who holds the key in the store, and is not changed in it here.
    let holder: ManagedObject?
    /// Whether nobody else has the holder's Swift object, so that a new one may take its place.
    let isHolderFree: Bool
    /// Changed to the key first, then inserted with it; each by ID.
    let claimants: [ManagedObject]
}

/// The unique keys of one save that several objects would hold.
struct KeyContests {
    let context: ManagedObjectContext
    private let error: StoreError
    private let conflicts: [KeyConflict]
    private(set) var renamed: [ManagedObjectID: ManagedObjectID] = [:]
    /// What new objects have become, by the IDs that they had.
    private var replaced: [LocalID: ManagedObject] = [:]
    /// Of objects that a policy rolls back, the rows as they are now.
    private var rows: [LocalID: FreshRow] = [:]
    /// Whom a conflict of this round has settled: what remains of others shows in the next.
    private var settled: Set<ManagedObject> = []

    /// - Parameter error: That the store threw, with code `constraintConflict`.
    init(_ context: ManagedObjectContext, _ error: StoreError) {
        self.context = context
        self.error = error
        conflicts = (error.underlying as? KeyConflicts)?.all ?? []
    }

    /// - Parameter isLast: Whether it goes on for so long that every conflict stays.
    /// - Throws: ``SaveConflictError`` with those that stay; what a policy throws.
    mutating func settle(isLast: Bool) throws {
        let contests = try contests()
        let resolutions = try resolutions(contests, isLast: isLast)
        try readAhead(contests, resolutions)
        for (contest, resolution) in zip(contests, resolutions) {
            try settle(contest, resolution)
        }
        leadToOthers()
    }

    // MARK: - Who it is about

    private func contests() throws -> [KeyContest] {
        try refreshHolders()
        var free: Set<LocalID> = []
        var owners: [EntityDescription: Set<LocalID>] = [:]
        var faults: [ManagedObject] = []
        for conflict in conflicts {
            for record in conflict.records {
                if let known = context.held(record) {
                    guard known.flags.isDisjoint(with: [.hasRow, .inserted]) else { continue }
                    faults.append(known)
                } else {
                    free.insert(record)
                }
                owners[conflict.owner, default: []].insert(record)
            }
        }
        var read: [ManagedObject] = []
        for (owner, records) in owners { read += try context.objects(records, of: owner) }
        defer { context.keepAlive(read) }
        // An impostor's place was taken by an object that nobody else holds.
        for fault in faults where fault.flags.contains(.detached) { free.insert(fault.localID) }
        return try conflicts.map { try contest($0, free) }
    }

    /// Gives unchanged objects their newest rows and has their relationships read again: what a
    /// policy decides must not depend on whether the app holds the object that has the key.
    private func refreshHolders() throws {
        var holders: [EntityDescription: Set<LocalID>] = [:]
        for record in conflicts.flatMap(\.records) {
            guard let object = context.held(record), object.flags.contains(.hasRow),
                !object.hasChanges
            else { continue }
            context.savePoint?.capture(object)
            context.unloadRelations(of: object)
            holders[object.entity, default: []].insert(record)
        }
        for (entity, ids) in holders {
            try context.coordinator.store.read { reader in
                try reader.rows(of: entity, ids: ids.sorted()) { row in
                    guard let object = context.held(row.id), object.version != row.version else {
                        return
                    }
                    context.merge(.stored(row), into: object)
                    context.event.refreshed.append(object)
                }
            }
        }
    }

    private func contest(_ conflict: KeyConflict, _ free: Set<LocalID>) throws -> KeyContest {
        var holders: [ManagedObject] = []
        var claimants: [ManagedObject] = []
        for record in conflict.records.sorted() {
            guard let object = context.held(record) else { continue }
            let isClaimant =
                object.flags.contains(.inserted)
                || conflict.attributes.contains { object.isChangedSinceCommit($0.slot) }
            if isClaimant { claimants.append(object) } else { holders.append(object) }
        }
        for holder in holders where !holder.flags.contains(.hasRow) {
            try context.fireFault(holder)
        }
        let inOrder =
            claimants.filter { !$0.flags.contains(.inserted) }
            + claimants.filter { $0.flags.contains(.inserted) }
        return KeyContest(
            conflict: conflict, holder: holders.first,
            isHolderFree: holders.first.map { free.contains($0.localID) } ?? false,
            claimants: inOrder)
    }

    private func resolutions(
        _ contests: [KeyContest], isLast: Bool
    ) throws -> [MergeResolution] {
        let policy = context.mergePolicy
        // Somebody else's object had the key, and has let go of it: there is nothing to settle.
        let isSolvable = !isLast && contests.contains { !$0.claimants.isEmpty }
        if let standard = policy as? StandardMergePolicy, standard != .error, isSolvable {
            return Array(repeating: standard.resolution, count: contests.count)
        }
        let conflicts = try contests.map { try ConstraintConflict($0) }
        let resolutions =
            try isSolvable
            ? conflicts.map { try policy.resolve($0, in: context) } : []
        let open =
            isSolvable
            ? zip(conflicts, resolutions).filter { $1.way == .unresolved }.map(\.0) : conflicts
        guard open.isEmpty, isSolvable else {
            throw SaveConflictError(constraintConflicts: open, underlying: error)
        }
        return resolutions
    }

    // MARK: - Settling

    /// Reads at once what settling one after the other asks for.
    private mutating func readAhead(
        _ contests: [KeyContest], _ resolutions: [MergeResolution]
    ) throws {
        var rolledBack: [ManagedObject] = []
        var owners: [RelationshipDescription: Set<ManagedObject>] = [:]
        for (contest, resolution) in zip(contests, resolutions) {
            let way = resolution.way
            let changed = contest.claimants.filter { !$0.flags.contains(.inserted) }
            if way == .rollback { rolledBack += changed }
            guard let other = contest.holder ?? changed.first else { continue }
            for object in contest.claimants where object.flags.contains(.inserted) {
                for relationship in object.linkedRelationships
                where other.entity.isKind(of: relationship.entity) {
                    owners[relationship, default: []].insert(other)
                }
            }
        }
        rows = try context.freshRows(of: rolledBack)
        for (relationship, others) in owners {
            let unread = others.filter { !$0.knowsMembers(of: relationship) }
            if !unread.isEmpty { try context.load(relationship, of: Array(unread)) }
        }
    }

    private mutating func settle(_ contest: KeyContest, _ resolution: MergeResolution) throws {
        let all = [contest.holder].compactMap(\.self) + contest.claimants
        guard settled.isDisjoint(with: all) else { return }
        settled.formUnion(all)
        for object in all { context.savePoint?.capture(object) }
        guard var remaining = all.first else { return }
        var isFree = contest.isHolderFree
        for claimant in all.dropFirst() {
            if claimant.flags.contains(.inserted) {
                let taken = try become(
                    remaining, claimant, resolution.way, replacing: isFree)
                if taken { remaining = claimant }
                isFree = false
            } else {
                remaining = try claim(contest.conflict, remaining, claimant, resolution.way)
                isFree = false
            }
        }
        try context.set(resolution.values, of: remaining)
    }

    /// A new object becomes one that is there.
    ///
    /// - Returns: Whether its Swift object is the one that remains.
    private mutating func become(
        _ other: ManagedObject, _ object: ManagedObject, _ way: MergeResolution.Way,
        replacing isFree: Bool
    ) throws -> Bool {
        let before = object.objectID
        let old = object.localID
        if other.flags.contains(.hasRow) { other.flags.formUnion(.isFired) }
        try ObjectFold(context, from: object, into: other, way).run()
        renamed[before] = other.objectID
        replaced[old] = other
        let isReplacing = isFree && other.home === object.home
        if isReplacing {
            context.transplant(other, into: object)
            replaced[old] = object
        } else {
            context.dropInsertion(of: object, for: other)
        }
        return isReplacing
    }

    /// An object that was changed to the key of another one.
    ///
    /// - Returns: Who has the key.
    private mutating func claim(
        _ conflict: KeyConflict, _ other: ManagedObject, _ object: ManagedObject,
        _ way: MergeResolution.Way
    ) throws -> ManagedObject {
        switch way {
        case .mergeByPropertyObjectTrump, .overwrite:
            try other.fireFaultOrThrow()
            try ObjectFold(context, from: other, into: object, .rollback).run()
            try leadHoldersWithoutInverse(from: other, to: object)
            context.delete(other)
            return object
        case .mergeByPropertyStoreTrump:
            context.restoreKey(conflict.attributes, of: object)
        case .rollback, .unresolved:
            guard let row = rows[object.localID] else { break }
            context.takeBackLinks(of: object)
            var merge = RowMerge(object, row, .rollback)
            merge.run(in: context)
            context.unloadRelations(of: object)
            context.event.refreshed.append(object)
        }
        return other
    }

    /// What the other end does not know of, the store finds.
    private func leadHoldersWithoutInverse(
        from other: ManagedObject, to object: ManagedObject
    ) throws {
        guard
            context.model.entities.contains(where: { entity in
                entity.relationships.contains { $0.inverse == nil && $0.storage == .reference }
            })
        else { return }
        for (id, relationship) in try context.coordinator.store.holders(of: other.localID)
        where relationship.inverse == nil && object.entity.isKind(of: relationship.destination) {
            guard let holder = try context.object(id, of: relationship.entity) else { continue }
            try context.fireFault(holder)
            guard case .integer(other.localID) = holder.slots[relationship.slot] else { continue }
            try context.setTarget(of: holder, by: relationship, to: object)
        }
    }

    /// Whatever has led to new objects, and no inverse of theirs tells of, leads to those that they
    /// became.
    private func leadToOthers() {
        guard !replaced.isEmpty, context.coordinator.plans.haveOneWayRelationships else { return }
        for object in context.registry.values {
            for relationship in object.home.plan.references
            where relationship.inverse == nil && object.flags.contains(.hasRow) {
                guard case .integer(let id) = object.slots[relationship.slot],
                    let other = replaced[id]
                else { continue }
                let fits = other.entity.isKind(of: relationship.destination)
                object.write(fits ? .integer(other.localID) : .null, to: relationship.slot)
            }
            leadLinksToOthers(of: object)
        }
    }

    private func leadLinksToOthers(of object: ManagedObject) {
        guard let table = object.relations else { return }
        for (index, relationship) in object.home.plan.relations.enumerated()
        where relationship.inverse == nil {
            for (id, other) in replaced where table.states[index].added.contains(id) {
                context.touch(object)
                object.changeRelation(index) { state in
                    state.remove(id)
                    if other.entity.isKind(of: relationship.destination) {
                        state.add(other.localID)
                    }
                }
            }
        }
    }
}

extension ManagedObject {
    /// Relationships of a new object to which another one can't be added without knowing who is
    /// there.
    fileprivate final var linkedRelationships: [RelationshipDescription] {
        guard let table = relations else { return [] }
        return home.plan.relations.enumerated().compactMap { index, relationship in
            guard relationship.storage != .inverseReference || !relationship.isToMany,
                !table.states[index].added.isEmpty
            else { return nil }
            return relationship
        }
    }

    fileprivate final func knowsMembers(of relationship: RelationshipDescription) -> Bool {
        guard let index = home.plan.relationIndex(of: relationship) else { return true }
        return flags.contains(.inserted) || relations?.states[index].members != nil
    }
}
