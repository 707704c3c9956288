import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// The objects of one save that others have changed or deleted since they were read.
struct LockContest {
    let context: ManagedObjectContext
    private let error: StoreError
    private let objects: [ManagedObject]
    /// Of objects that overwrite the store, what is written though it is as there.
    private(set) var rewritten: [ManagedObject: Set<Int>] = [:]
    private(set) var renamed: [ManagedObjectID: ManagedObjectID] = [:]
    /// Deleted in the store, and so here.
    private var gone: [ManagedObject] = []
    /// Deleted in the store, and to be there again as new records.
    private var reborn: [ManagedObject] = []
    private var hasUndeleted = false

    /// - Parameter error: That the store threw, with code `mergeConflict`.
    init(_ context: ManagedObjectContext, _ error: StoreError) {
        self.context = context
        self.error = error
        objects = error.records.compactMap { context.held($0) }
    }

    /// - Parameter isLast: Whether it goes on for so long that every conflict stays.
    /// - Throws: ``SaveConflictError`` with those that stay; what a policy throws.
    mutating func settle(isLast: Bool) throws {
        let rows = try context.freshRows(of: objects)
        let resolutions = try resolutions(rows, isLast: isLast)
        for (object, resolution) in zip(objects, resolutions) {
            try settle(object, rows[object.localID], resolution.way)
        }
        if hasUndeleted { try context.readAgainWhatReferred() }
        leave()
        if !reborn.isEmpty {
            var rebirth = RecordRecreation(context, reborn)
            try rebirth.run()
            renamed = rebirth.renamed
        }
        for (object, resolution) in zip(objects, resolutions)
        where !resolution.values.isEmpty && object.flags.isDisjoint(with: [.detached, .deleted]) {
            try context.set(resolution.values, of: object)
        }
    }

    private func resolutions(
        _ rows: [LocalID: FreshRow], isLast: Bool
    ) throws -> [MergeResolution] {
        let policy = context.mergePolicy
        if let standard = policy as? StandardMergePolicy, standard != .error, !isLast,
            !objects.isEmpty
        {
            return Array(repeating: standard.resolution, count: objects.count)
        }
        let conflicts = try objects.map { try MergeConflict($0, rows[$0.localID]) }
        let resolutions =
            try isLast
            ? [] : conflicts.map { try policy.resolve($0, in: context) }
        let open =
            isLast
            ? conflicts
            : zip(conflicts, resolutions).filter { $1.way == .unresolved }.map(\.0)
        guard open.isEmpty, !conflicts.isEmpty else {
            throw SaveConflictError(mergeConflicts: open, underlying: error)
        }
        return resolutions
    }

    // MARK: - Objects

    private mutating func settle(
        _ object: ManagedObject, _ row: FreshRow?, _ way: MergeResolution.Way
    ) throws {
        context.savePoint?.capture(object)
        guard let row else { return settleGone(object, way) }
        guard object.flags.contains(.deleted) else {
            return try merge(row, into: object, way)
        }
        guard !way.isOfContext else {
            // It is deleted as it is now.
            if object.flags.contains(.hasRow) {
                context.recordOverlaidEdits(of: object, over: SlotStorage(copying: row.slots))
            }
            object.version = row.version
            return
        }
        context.undelete(object, as: row)
        hasUndeleted = true
    }

    /// What nothing was changed in here has nothing to be born again for, unless it is to be
    /// written whole.
    private mutating func settleGone(_ object: ManagedObject, _ way: MergeResolution.Way) {
        let hasEdits = object.hasPersistentChangedValues || way == .overwrite
        let lives =
            way.isOfContext && hasEdits && object.flags.contains(.hasRow)
            && !object.flags.contains(.deleted)
        if lives { reborn.append(object) } else { gone.append(object) }
    }

    private func leave() {
        guard !gone.isEmpty else { return }
        for object in gone {
            context.unpropagated.removeAll { $0 === object }
            context.deletedIDs.remove(object.localID)
        }
        let mentioning = context.forget(
            Dictionary(grouping: gone, by: \.entity).mapValues { $0.map(\.localID) })
        context.settleReferences(of: mentioning, to: Set(gone.map(\.localID)))
    }

    private mutating func merge(
        _ row: FreshRow, into object: ManagedObject, _ way: MergeResolution.Way
    ) throws {
        if way == .rollback { context.takeBackLinks(of: object) }
        // It is written, even if nothing was changed in it.
        if way == .overwrite, object.flags.contains(.hasRow) { context.touch(object) }
        var merge = RowMerge(object, row, way)
        merge.run(in: context)
        context.unloadRelations(of: object)
        context.event.refreshed.append(object)
        if way == .overwrite { rewritten[object] = merge.rewritten }
        if way == .rollback, !object.hasPersistentChangedValues {
            context.reclassify(object) { $0.subtract(.updated) }
        }
    }
}
