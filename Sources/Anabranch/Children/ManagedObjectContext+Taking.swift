import AnabranchModel
import AnabranchReplication
import AnabranchStore

extension ManagedObjectContext {
    /// Makes what a context below has changed changes of this context.
    ///
    /// Hooks of insertion and deletion have run there and don't run again.
    ///
    /// - Throws: ``StoreError``, with code `mergeConflict` where records that the child has changed
    ///   are deleted here, or gone. Nothing has changed then.
    func take(_ save: ChildSave, from child: ContextLink) throws {
        checkQueue()
        var taking = try SaveTaking(of: save, into: self)
        try taking.run()
        processPendingChanges()
        children.enqueue(except: child) { $0.mergeAutomatically(save.records) }
    }

    /// Begins an object that exists in a context below already. Somebody may have asked for it by
    /// its ID before, and have a fault of it.
    fileprivate func takeInsertion(
        of id: LocalID, _ entity: EntityDescription, slots: [PropertyValue]
    ) -> ManagedObject {
        let known = held(id)
        if let known, known.entity !== entity { dismiss(known) }
        let object = held(id) ?? make(ObjectInitialization(home: home(of: entity), id: id))
        object.reportChanges()
        object.slots = SlotStorage(copying: slots)
        object.committed = SlotStorage()
        object.writtenSlots = 0
        object.relations = nil
        object.flags.formUnion(object.home.plan.bornFlags)
        reclassify(object) {
            $0.subtract(.updated)
            $0.insert(.inserted)
        }
        recordChange(object)
        return object
    }

    /// - Parameter seen: What the child has seen of the object's links.
    fileprivate func takeDeletion(of object: ManagedObject, _ seen: [Int: SeenLinks]) {
        guard !object.flags.contains(.deleted) else { return }
        recordChange(object)
        reclassify(object) { $0.insert(.deleted) }
        unpropagated.append(object)
        recordSeenLinks(ofDeleted: object)
        for index in object.home.plan.linkRelations {
            guard let older = seen[object.home.plan.relations[index].slot] else { continue }
            object.relations?.states[index].limitSeenLinks(to: older)
        }
    }
}

/// One save of a child on its way into the parent. What has to be read for it is read before
/// anything changes.
private struct SaveTaking {
    private let context: ManagedObjectContext
    private let save: ChildSave
    /// What the save changes or leads to, as far as it is there.
    private var objects: [LocalID: ManagedObject] = [:]
    private let references: [Reference]

    private let links: [SaveRequest.LinkChange]
    private let lists: [SaveRequest.ListChange]

    private var request: SaveRequest { save.request }

    /// A to-one that the save writes, and the record that it leads to.
    private struct Reference {
        let record: LocalID
        let relationship: RelationshipDescription
        let target: LocalID?
    }

    init(of save: ChildSave, into context: ManagedObjectContext) throws {
        self.context = context
        self.save = save
        references = Self.references(in: save.request)
        links = save.request.links + save.transientLinks
        lists = save.request.lists + save.transientLists
        try findChanged()
        try findTargets()
        try loadRelations()
    }

    mutating func run() throws {
        recordOverlaidEdits()
        insert()
        writeAttributes()
        try writeReferences()
        try writeLinks()
        orderLists()
        for delete in request.deletes {
            for row in delete.rows {
                guard let object = objects[row.id] else { continue }
                context.takeDeletion(of: object, request.seenLinks[row.id] ?? [:])
            }
        }
    }

    private static func references(in request: SaveRequest) -> [Reference] {
        let tables =
            request.inserts.map { ($0.entity, $0.rows) }
            + request.updates.map { ($0.entity, $0.rows) }
        var references: [Reference] = []
        for (entity, table) in tables {
            for (column, slot) in table.slots.enumerated() {
                guard let relationship = entity.slots[slot].relationship else { continue }
                for (row, id) in table.ids.enumerated() {
                    var target: LocalID?
                    if case .integer(let id) = table[row, column] { target = id }
                    references.append(
                        Reference(record: id, relationship: relationship, target: target))
                }
            }
        }
        return references
    }
}

// Before anything changes.
extension SaveTaking {
    private mutating func findChanged() throws {
        var changed: [LocalID] = []
        for update in request.updates { try find(update.rows.ids, of: update.entity, &changed) }
        for delete in request.deletes {
            try find(delete.rows.map(\.id), of: delete.entity, &changed)
        }
        for object in objects.values { try context.fireFault(object) }
        let gone = changed.filter { objects[$0].map { $0.isDeleted } ?? true }
        guard gone.isEmpty else {
            throw StoreError(
                .mergeConflict,
                "Can't save because \(gone.count) objects were deleted in the parent context; "
                    + "refresh them, then save again.", records: gone)
        }
    }

    private mutating func find(
        _ ids: [LocalID], of entity: EntityDescription, _ all: inout [LocalID]
    ) throws {
        all += ids
        for object in try context.objects(ids, of: entity) { objects[object.localID] = object }
    }

    /// The other ends of references and links.
    private mutating func findTargets() throws {
        var wanted: [EntityDescription: Set<LocalID>] = [:]
        for reference in references {
            for target in [reference.target, presentTarget(of: reference)].compactMap(\.self) {
                wanted[reference.relationship.destination, default: []].insert(target)
            }
        }
        for link in links {
            wanted[link.relationship.entity, default: []].insert(link.owner)
            wanted[link.relationship.destination, default: []].insert(link.other)
        }
        for list in lists {
            wanted[list.relationship.entity, default: []].insert(list.owner)
        }
        for transient in save.transients {
            wanted[transient.entity, default: []].insert(transient.record)
        }
        for (entity, ids) in wanted {
            for object in try context.objects(ids.subtracting(objects.keys), of: entity) {
                objects[object.localID] = object
            }
        }
    }

    private func presentTarget(of reference: Reference) -> LocalID? {
        guard let object = objects[reference.record],
            case .integer(let id) = object.slots[reference.relationship.slot]
        else { return nil }
        return id
    }

    /// Changing a link or a one-to-one asks for who is there already.
    private mutating func loadRelations() throws {
        var owners: [RelationshipDescription: Set<LocalID>] = [:]
        for link in links { owners[link.relationship, default: []].insert(link.owner) }
        for list in lists { owners[list.relationship, default: []].insert(list.owner) }
        for reference in references {
            guard let inverse = reference.relationship.inverse, !inverse.isToMany,
                let target = reference.target
            else { continue }
            owners[inverse, default: []].insert(target)
        }
        for (relationship, ids) in owners {
            let owners = ids.compactMap { objects[$0] }
            try context.loadMissing(relationship, of: owners)
            if !relationship.isToMany { try findHolders(at: owners, relationship) }
        }
    }

    /// Of a one-to-one: who loses the target.
    private mutating func findHolders(
        at owners: [ManagedObject], _ relationship: RelationshipDescription
    ) throws {
        var ids: Set<LocalID> = []
        for owner in owners {
            if relationship.isMutual {
                _ = try owner.isRealised(in: context)
                if let id = try context.targetID(of: owner, by: relationship) { ids.insert(id) }
            }
            guard let index = owner.home.plan.relationIndex(of: relationship) else { continue }
            ids.formUnion(try context.members(of: owner, at: index))
        }
        ids.subtract(objects.keys)
        for holder in try context.objects(ids, of: relationship.destination) {
            _ = try holder.isRealised(in: context)
            objects[holder.localID] = holder
        }
    }
}

extension SaveTaking {
    private mutating func insert() {
        for insert in request.inserts {
            let plan = context.home(of: insert.entity).plan
            let table = insert.rows
            for (row, id) in table.ids.enumerated() {
                var slots = [PropertyValue](repeating: .null, count: insert.entity.slots.count)
                for (column, slot) in table.slots.enumerated()
                where plan.entity.slots[slot].attribute != nil {
                    slots[slot] = table[row, column]
                }
                objects[id] = context.takeInsertion(of: id, insert.entity, slots: slots)
            }
        }
    }

    /// The child's edits lie over what the parent has merged since the child read the values, and
    /// over what the child itself has merged.
    private func recordOverlaidEdits() {
        for rows in save.seen {
            for (row, id) in rows.values.ids.enumerated() {
                guard let object = objects[id], object.version != rows.versions[row] else {
                    continue
                }
                for (column, slot) in rows.values.slots.enumerated() {
                    let value = rows.values[row, column]
                    let isOther =
                        object.committedValue(slot) != value && object.slots[slot] != value
                    guard isOther || object.hasPosition(slot) else { continue }
                    context.overlaidEdits.add(
                        .init(version: rows.versions[row], value: value), of: object, inSlot: slot)
                }
            }
        }
        for (id, bases) in save.overlaid {
            guard let object = objects[id] else { continue }
            for (slot, base) in bases {
                context.overlaidEdits.add(base, of: object, inSlot: slot)
            }
        }
    }

    private func writeAttributes() {
        for update in request.updates {
            let plan = context.home(of: update.entity).plan
            for (row, id) in update.rows.ids.enumerated() {
                guard let object = objects[id] else { continue }
                for (column, slot) in update.rows.slots.enumerated()
                where plan.entity.slots[slot].attribute != nil {
                    let counted = save.counted[id]?[slot].map { object.sum(with: $0, inSlot: slot) }
                    object.write(counted ?? update.rows[row, column], to: slot)
                }
            }
        }
        for transient in save.transients {
            objects[transient.record]?.write(transient.value, to: transient.slot)
        }
        for (id, groups) in request.carriedGroups {
            guard let object = objects[id] else { continue }
            context.carriedGroups[object, default: [:]].merge(groups) { _, new in new }
        }
    }

    /// A reference to what is deleted here leads to nobody, but where the deletion may be denied
    /// for it.
    private func writeReferences() throws {
        for reference in references {
            guard let object = objects[reference.record] else { continue }
            var target = reference.target.flatMap { objects[$0] }
            let isDenied = reference.relationship.keepsTarget
            if !isDenied, target?.isDeleted == true { target = nil }
            try context.setTarget(of: object, by: reference.relationship, to: target)
        }
    }

    /// Nobody is linked to what is deleted here.
    private func writeLinks() throws {
        for link in links {
            guard let owner = objects[link.owner], let other = objects[link.other],
                !owner.isDeleted, !other.isDeleted
            else { continue }
            if link.isAdded {
                try context.insert(other, into: owner, link.relationship)
            } else {
                try context.remove(
                    other, from: owner, link.relationship, seenIn: link.seen)
            }
        }
    }

    /// What was placed goes behind what it stands behind in the child, as far as that is here.
    private func orderLists() {
        for list in lists {
            guard let owner = objects[list.owner],
                let index = owner.home.plan.relationIndex(of: list.relationship)
            else { continue }
            context.touch(owner)
            context.recorder?.recordList(of: owner, at: index, in: context)
            owner.changeRelation(index) {
                $0.place(list.placed, standingAsIn: list.order, isEnd: list.isEnd)
            }
        }
    }
}
