import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// Has a context follow records that others stand for: somebody else's merge policy or undo has put
/// them in their place.
///
/// What stands for a record is read, and what is unsaved of the object is unsaved over that. An
/// object whose successor is in use here, or is of another entity, passes that on and leaves.
struct ReplacementMerge {
    private let context: ManagedObjectContext
    /// Old to new, as far as what is new is there.
    private(set) var names: [LocalID: LocalID]
    private(set) var renamed: [ManagedObjectID: ManagedObjectID] = [:]
    private var followed: [ManagedObject] = []
    /// Nobody's deinit runs in between.
    private var forgotten: [ManagedObject] = []

    init(_ names: [LocalID: LocalID], in context: ManagedObjectContext) {
        self.context = context
        self.names = Self.ends(of: names)
    }

    /// What names lead to in the end; those that lead in a circle lead nowhere.
    private static func ends(of names: [LocalID: LocalID]) -> [LocalID: LocalID] {
        names.reduce(into: [:]) { ends, name in
            var seen: Set<LocalID> = [name.key]
            var id = name.value
            while seen.insert(id).inserted, let next = names[id] { id = next }
            if names[id] == nil { ends[name.key] = id }
        }
    }

    /// - Throws: ``StoreError``.
    mutating func run() throws {
        let objects = names.keys.sorted().compactMap(context.held)
        // Of a record that the store has lost, or never had, nothing else is left here.
        if objects.isEmpty, context.parent == nil { return }
        let others = try successors(of: objects)
        context.recorder?.rename(names)
        if !context.followers.isEmpty { context.event.renamed.merge(names) { $1 } }
        for object in objects {
            guard let id = names[object.localID] else { continue }
            if let other = try other(id, others) {
                renamed[object.objectID] = other.objectID
                context.recorder?.recordReplacement(of: id)
                try UnsavedChanges(of: object, in: context).pass(to: other)
            } else {
                rename(object, to: id)
            }
        }
        context.refaultedIDs = context.refaultedIDs.map { names[$0] ?? $0 }
        for object in context.registry.values { context.renameMentions(in: object, names) }
        for object in followed { object.listRelations() }
        try reread()
    }

    /// The objects of other entities that stand for some; those that nothing is found for, stay.
    private mutating func successors(
        of objects: [ManagedObject]
    ) throws -> [LocalID: ManagedObject] {
        let unknown = objects.filter { context.held(names[$0.localID] ?? 0) == nil }
        var entities: [LocalID: Int] = [:]
        for (root, group) in Dictionary(grouping: unknown, by: \.entity.root) {
            let ids = group.compactMap { names[$0.localID] }
            try context.readRows(of: root, ids: Set(ids).sorted()) { row in
                entities[row.id] = Int(row.entityIndex)
            }
        }
        var others: [LocalID: ManagedObject] = [:]
        for object in unknown {
            guard let id = names[object.localID] else { continue }
            guard let index = entities[id] else {
                names[object.localID] = nil
                continue
            }
            guard index != object.entity.index else { continue }
            let entity = context.home(at: index).entity
            others[id] = try context.objects([id], of: entity).first
        }
        return others
    }

    /// The object of a record if it is in use here, or is of another entity.
    private func other(
        _ id: LocalID, _ others: [LocalID: ManagedObject]
    ) throws -> ManagedObject? {
        guard let other = others[id] ?? context.held(id) else { return nil }
        if !other.flags.contains(.inserted) { try context.fireFault(other) }
        return other.flags.contains(.detached) ? nil : other
    }

    private mutating func rename(_ object: ManagedObject, to id: LocalID) {
        let before = object.objectID
        object.reportChanges()
        context.registry.remove(object.localID)
        if context.deletedIDs.remove(object.localID) != nil { context.deletedIDs.insert(id) }
        object.localID = id
        if let other = context.registry.insert(object, for: id) { forgotten.append(other) }
        if !object.flags.contains(.hasRow) { object.home.addFault(id) }
        context.recorder?.recordReplacement(of: id)
        renamed[before] = object.objectID
        followed.append(object)
    }

    /// Gives those that have another ID the row that is of it.
    private func reread() throws {
        let read = followed.filter { $0.flags.contains(.hasRow) }
        for (entity, group) in Dictionary(grouping: read, by: \.entity) {
            for object in group { context.askAnewAround(object) }
            try context.readRows(of: entity, ids: group.map(\.localID).sorted()) { row in
                if let object = context.held(row.id) { context.merge(row, into: object) }
            }
            for object in group {
                context.unloadRelations(of: object)
                context.askAnewAround(object)
            }
        }
        context.event.refreshed += followed
        context.scheduleProcessing()
        context.awake(read)
    }
}

extension ManagedObjectContext {
    /// Whoever an object is related to asks anew who is related to it.
    func askAnewAround(_ object: ManagedObject) {
        guard object.flags.contains(.hasRow) else { return }
        for relationship in object.home.plan.references {
            let slot = relationship.slot
            for target in [object.slots[slot], object.committedValue(slot)] {
                askAnew(for: relationship.inverse, at: target)
            }
        }
        for (index, relationship) in object.home.plan.relations.enumerated() {
            for id in object.relations?.states[index].members ?? [] {
                askAnew(for: relationship.inverse, at: .integer(id))
            }
        }
    }
}
