import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// One save on its way past what others have saved.
///
/// The store says which records are in conflict, and writes nothing. Their rows are read, in one
/// SELECT for each entity, the context's policy settles each, and the whole is written anew, until
/// nothing is in conflict any more. Until the first conflict all this costs nothing.
struct ConflictResolving {
    /// Somebody else saves between reading and writing only now and then; of chains of unique keys
    /// each round takes one link.
    static let maximumRounds = 100

    let context: ManagedObjectContext
    /// What was renamed, old to new.
    var renamed: [ManagedObjectID: ManagedObjectID] = [:]
    /// Slots that are written though they are as in the store.
    private(set) var rewritten: [ManagedObject: Set<Int>] = [:]
    /// What has other values than before, though nobody has set them; known once all is written.
    private var resettled: [ManagedObject] = []
    private var rounds = 0

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Whether there was a conflict.
    var hasResolved: Bool { rounds > 0 }

    /// Writes what is pending.
    ///
    /// - Throws: What the save throws; the context is as it was then.
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
                builder = context.build(context.pending, rewriting: rewritten)
            }
        } catch {
            let savePoint = context.savePoint
            context.savePoint = nil
            savePoint?.restore(context)
            throw error
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

    /// Tells objects what the policy has made of them.
    func awakeObjects() {
        for object in resettled where object.flags.isDisjoint(with: [.detached, .deleted]) {
            if !object.isFault { object.wake(by: .mergePolicy) }
        }
    }

    /// Follows what the save itself has renamed.
    ///
    /// - Parameter others: New IDs of objects, by the old ones.
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

    /// The records that it has let others stand for, with those.
    ///
    /// - Parameter all: As of ``renamed(with:)``.
    func replaced(with all: [ManagedObjectID: ManagedObjectID]) -> [LocalID: LocalID] {
        renamed.keys.reduce(into: [:]) { names, old in names[old.localID] = all[old]?.localID }
    }
}

extension StoreError {
    /// Whether a policy can settle it.
    var isSaveConflict: Bool { code == .mergeConflict || code == .constraintConflict }
}

extension ManagedObjectContext {
    /// The rows of objects as the store has them now, in one SELECT for each entity.
    func freshRows(
        of objects: some Sequence<ManagedObject>
    ) throws -> [LocalID: FreshRow] {
        var rows: [LocalID: FreshRow] = [:]
        for (entity, group) in Dictionary(grouping: objects, by: \.entity) {
            try coordinator.store.read { reader in
                try reader.rows(of: entity, ids: group.map(\.localID).sorted()) { row in
                    rows[row.id] = FreshRow(row)
                }
            }
        }
        return rows
    }

    /// Gives an object what a policy says it is to have.
    ///
    /// - Throws: ``PropertyError``, ``StoreError``.
    func set(_ values: [String: Value], of object: ManagedObject) throws {
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let relationship = try object.property(named: name).relationship else {
                try object.setValue(value, forKey: name)
                continue
            }
            var target: ManagedObject?
            if case .reference(let record) = value, !relationship.isToMany {
                target = try existingTarget(record, of: relationship)
            }
            guard target != nil || value.isNull && !relationship.isToMany else {
                throw PropertyError(
                    .wrongType,
                    "Can't set \(object.entity.name).\(name) to \(value) by a merge policy because "
                        + "a to-one takes a reference to an existing record, or null; pass one.",
                    property: name, objectID: object.objectID)
            }
            try setTarget(of: object, by: relationship, to: target)
        }
    }

    /// The registered objects that one of some records is mentioned in, as a target or a member.
    func objects(mentioning ids: Set<LocalID>) -> [ManagedObject] {
        registry.values.filter { $0.mentions(ids) }
    }
}

extension ManagedObject {
    final func mentions(_ ids: Set<LocalID>) -> Bool {
        if flags.contains(.hasRow) {
            for relationship in home.plan.references {
                let slot = relationship.slot
                if case .integer(let id) = slots[slot], ids.contains(id) { return true }
                if !committed.isEmpty, case .integer(let id) = committed[slot], ids.contains(id) {
                    return true
                }
            }
        }
        return relations?.states.contains { $0.mentions(ids) } ?? false
    }
}
