import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Writes one save although earlier saves of other contexts or replicas conflict with it.
///
/// If records are in conflict, the store reports them and writes nothing. Their rows are then read,
/// with one SELECT for each entity. The context's policy resolves each conflict, and the whole save
/// is written again, until no conflict remains. A save without conflicts costs nothing more.
struct ConflictResolving {
    /// The greatest number of rounds with conflicts. Concurrent saves between reading and writing
    /// are rare; of a chain of unique keys each round resolves one link.
    static let maximumRounds = 100

    let context: ManagedObjectContext
    /// The new IDs of objects, by their old ones.
    var renamed: [ManagedObjectID: ManagedObjectID] = [:]
    /// The slots that are written although the store has the same values.
    private(set) var rewritten: [ManagedObject: Set<Int>] = [:]
    /// The objects that the policy has given other values; empty before everything is written.
    private var resettled: [ManagedObject] = []
    private var rounds = 0

    init(_ context: ManagedObjectContext) { self.context = context }

    /// True if there was a conflict.
    var hasResolved: Bool { rounds > 0 }

    /// Writes the pending objects.
    ///
    /// - Throws: The errors of `ManagedObjectContext.save()`. The context is restored then.
    mutating func write(
        _ pending: [ManagedObject]
    ) throws -> (builder: SaveBuilder, result: SaveResult) {
        do {
            var builder = context.build(pending, rewriting: rewritten)
            while true {
                do {
                    let result = try context.write(builder.request)
                    resettled = context.savePoint?.objectsWithOtherValues ?? []
                    context.savePoint = nil
                    return (builder, result)
                } catch let error as StoreError where error.isSaveConflict {
                    try resolve(error)
                }
                try context.validateAgain()
                builder = context.build(context.pending, rewriting: rewritten, isResolved: true)
            }
        } catch {
            let savePoint = context.savePoint
            context.savePoint = nil
            savePoint?.restore(context)
            throw (error as? ValidationError)?.naming(renamed(with: [:])) ?? error
        }
    }

    private mutating func resolve(_ error: StoreError) throws {
        rounds += 1
        if context.savePoint == nil { context.savePoint = SavePoint(context) }
        if error.code == .mergeConflict {
            var locks = LockContest(context, error)
            try locks.settle(isLast: rounds > Self.maximumRounds)
            for (object, slots) in locks.rewritten {
                rewritten[object, default: []].formUnion(slots)
            }
            renamed.merge(locks.renamed) { $1 }
        } else {
            var keys = KeyContests(context, error)
            try keys.settle(isLast: rounds > Self.maximumRounds)
            renamed.merge(keys.renamed) { $1 }
        }
        try context.propagateDeletes()
        if let error = context.keptErrors.take() { throw error }
    }

    /// Notifies the objects that the policy has given other values.
    func awakeObjects() {
        for object in resettled where object.flags.isDisjoint(with: [.detached, .deleted]) {
            if !object.isFault { object.wake(by: .mergePolicy) }
        }
    }

    /// Combines the new IDs that the policy gave with those that the save gave.
    ///
    /// - Parameter others: The new IDs that the save gave, by the old ones.
    func renamed(
        with others: [ManagedObjectID: ManagedObjectID]
    ) -> [ManagedObjectID: ManagedObjectID] {
        guard !renamed.isEmpty else { return others }
        var all = others
        for (old, new) in renamed {
            var last = new
            // An object that became another one may have become a third with it.
            while let next = renamed[last], next != last { last = next }
            all[old] = others[last] ?? last
        }
        return all
    }

    /// Returns the records that the policy has replaced, each with its surviving record.
    ///
    /// - Parameter all: The result of `renamed(with:)`.
    func replaced(with all: [ManagedObjectID: ManagedObjectID]) -> [LocalID: LocalID] {
        renamed.keys.reduce(into: [:]) { names, old in names[old.localID] = all[old]?.localID }
    }
}

extension StoreError {
    /// True if a policy can resolve the conflict.
    var isSaveConflict: Bool { code == .mergeConflict || code == .constraintConflict }
}
