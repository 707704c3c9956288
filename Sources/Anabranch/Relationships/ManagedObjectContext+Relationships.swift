import AnabranchModel
import AnabranchReplication
import AnabranchStore

// Reading the other end.
extension ManagedObjectContext {
    /// The object at the other end of a to-one, an error kept for the next save.
    func target(
        of object: ManagedObject, by relationship: RelationshipDescription
    ) -> ManagedObject? {
        do {
            return try targetOrThrow(of: object, by: relationship)
        } catch {
            if !(error is PropertyError) { keep(error) }
            return nil
        }
    }

    func targetOrThrow(
        of object: ManagedObject, by relationship: RelationshipDescription
    ) throws -> ManagedObject? {
        guard let id = try targetID(of: object, by: relationship) else { return nil }
        return try self.object(id, of: relationship.destination)
    }

    func targetID(
        of object: ManagedObject, by relationship: RelationshipDescription
    ) throws -> LocalID? {
        if let index = object.home.plan.relationIndex(of: relationship) {
            let members = try members(of: object, at: index)
            guard members.count > 1, let state = object.relations?.states[index] else {
                return members.first
            }
            // Beside who was set here, and is the later one, others have saved another.
            return members.intersection(state.added).min() ?? members.min()
        }
        try object.fireFaultOrThrow()
        guard let id = shownReference(of: object, by: relationship) else { return nil }
        return goneIDs.isEmpty || !goneIDs.contains(id) ? id : nil
    }

    /// The record to which an object with a row refers.
    ///
    /// A to-one that is its own inverse shows an object only if that object refers back. The rows
    /// of the store follow this rule. In a context, one of the two objects may have an unsaved
    /// change or a newer row.
    func shownReference(
        of object: ManagedObject, by relationship: RelationshipDescription
    ) -> LocalID? {
        guard case .integer(let id) = object.slots[relationship.slot] else { return nil }
        guard relationship.isMutual, let partner = held(id), partner.flags.contains(.hasRow) else {
            return id
        }
        return partner.slots[relationship.slot] == .integer(object.localID) ? id : nil
    }

    /// - Returns: `nil` where the record is gone.
    func object(_ id: LocalID, of destination: EntityDescription) throws -> ManagedObject? {
        if let object = held(id, of: destination) { return object }
        if destination.subentities.isEmpty { return makeFault(id, destination) }
        // Which of the sub-entities it is, only the row tells.
        return try objects([id], of: destination).first
    }

    /// The objects of records, ascending, those that are gone left out; one read for all that are
    /// not registered with their rows.
    func objects(
        _ ids: some Collection<LocalID>, of destination: EntityDescription
    ) throws -> [ManagedObject] {
        try objects(listed: ids.sorted(), of: destination)
    }

    /// As ``objects(_:of:)``, in the order of the IDs.
    func objects(
        listed ids: [LocalID], of destination: EntityDescription
    ) throws -> [ManagedObject] {
        var known: [ManagedObject] = []
        known.reserveCapacity(ids.count)
        var missing: [LocalID] = []
        for id in ids {
            if let object = held(id), object.flags.contains(.hasRow) {
                known.append(object)
            } else {
                missing.append(id)
            }
        }
        guard !missing.isEmpty else { return known }
        let read = try objects { take in
            try readRows(of: destination, ids: missing.sorted(), take)
        }
        let found = Dictionary(
            (known + read).map { ($0.localID, $0) }, uniquingKeysWith: { first, _ in first })
        return ids.compactMap { found[$0] }
    }

    /// The objects of a to-many relationship, of a list in their order, else ascending. If they
    /// were not read yet, one SELECT reads them with the relationship.
    func relatedObjects(
        of owner: ManagedObject, by relationship: RelationshipDescription
    ) throws -> [ManagedObject] {
        guard owner.home.plan.relationIndex(of: relationship) != nil else { return [] }
        let read = try loadMissingObjects(relationship, of: [owner])
        return try withExtendedLifetime(read) {
            try objects(
                listed: listedMembers(of: owner, by: relationship), of: relationship.destination)
        }
    }

    /// The objects at the other end of a relationship of several objects, ascending. If they were
    /// not read yet, one SELECT reads them with the relationship.
    func relatedObjects(
        of owners: [ManagedObject], by relationship: RelationshipDescription
    ) throws -> [ManagedObject] {
        let read = try loadMissingObjects(relationship, of: owners)
        defer { keepAlive(read) }
        var ids: Set<LocalID> = []
        for owner in owners {
            if let index = owner.home.plan.relationIndex(of: relationship) {
                ids.formUnion(try members(of: owner, at: index))
            } else if !owner.slots.isEmpty,
                case .integer(let id) = owner.slots[relationship.slot]
            {
                ids.insert(id)
            }
        }
        return try objects(ids, of: relationship.destination)
    }

    /// Loads a relationship of those of several objects for which it was not read yet, and the
    /// objects at its other end.
    ///
    /// - Returns: The objects that were read, which the context does not hold.
    private func loadMissingObjects(
        _ relationship: RelationshipDescription, of owners: [ManagedObject]
    ) throws -> [ManagedObject] {
        try objects { take in
            try withoutActuallyEscaping(take) { take in
                try loadMissing(relationship, of: owners, rows: take)
            }
        }
    }

    func targetIDs(
        of object: ManagedObject, by relationship: RelationshipDescription
    ) throws -> [ManagedObjectID] {
        if relationship.isToMany {
            let ids = try listedMembers(of: object, by: relationship)
            guard !relationship.destination.subentities.isEmpty else {
                return ids.map {
                    ManagedObjectID(
                        origin: coordinator.origin, entity: relationship.destination, localID: $0)
                }
            }
            return try objects(listed: ids, of: relationship.destination).map(\.objectID)
        }
        return try targetOrThrow(of: object, by: relationship).map { [$0.objectID] } ?? []
    }

    /// Who is at the other end; the first time asked for, one read.
    func members(of object: ManagedObject, at index: Int) throws -> Set<LocalID> {
        if let members = object.relations?.states[index].members { return members }
        if object.flags.contains(.inserted) {
            return object.withRelation(index) { $0.members ?? [] }
        }
        try load(object.home.plan.relations[index], of: [object])
        return object.relations?.states[index].members ?? []
    }

    /// Loads a relationship of those of several objects for which it was not read yet.
    ///
    /// - Parameter rows: Gets the rows of the members, if they are read together with the
    ///   relationship.
    func loadMissing(
        _ relationship: RelationshipDescription, of owners: [ManagedObject],
        rows: ((ObjectRow) -> Void)? = nil
    ) throws {
        let unloaded = owners.filter { owner in
            guard let index = owner.home.plan.relationIndex(of: relationship) else { return false }
            return owner.relations?.states[index].members == nil
                && !owner.flags.contains(.inserted)
        }
        if !unloaded.isEmpty { try load(relationship, of: unloaded, rows: rows) }
    }

    /// Loads a relationship of several objects in one read.
    ///
    /// - Parameter rows: See `loadMissing(_:of:rows:)`.
    func load(
        _ relationship: RelationshipDescription, of owners: [ManagedObject],
        rows: ((ObjectRow) -> Void)? = nil
    ) throws {
        let read = try readRelated(
            by: relationship, of: owners.map(\.localID).sorted(), rows: rows)
        for owner in owners {
            guard let index = owner.home.plan.relationIndex(of: relationship) else { continue }
            let all = read.members[owner.localID] ?? []
            let left = hasChanges ? Set(all.filter { hasLeft(owner, by: relationship, $0) }) : []
            let members =
                deletedIDs.isEmpty && left.isEmpty
                ? all : all.filter { !deletedIDs.contains($0) && !left.contains($0) }
            owner.withRelation(index) { state in
                if state.hasChanges, relationship.storage == .inverseReference {
                    let added = state.added.filter { refers($0, to: owner, by: relationship) }
                    state.keepChanges(added: added, removed: left)
                }
                // Who was removed, and is deleted, may come back.
                state.load(members, of: all, seeing: read.seenLinks(of: owner.localID))
            }
            // The deletions that have hidden them may be taken back.
            if members.count + left.count < all.count { recordIncomplete(owner) }
        }
    }

    /// Whether a reference leads to an owner, as one that was added to it does unless somebody
    /// else has set it so, too, and elsewhere since.
    func refers(
        _ member: LocalID, to owner: ManagedObject, by relationship: RelationshipDescription
    ) -> Bool {
        guard let slot = relationship.inverse?.slot, let object = held(member),
            object.flags.contains(.hasRow)
        else { return false }
        return object.slots[slot] == .integer(owner.localID)
    }

    /// Whether an unsaved edit has led an object's reference away from where the store has it now.
    ///
    /// The edit knew who was referred to then, which may have been somebody else: what the store
    /// has now was merged under it.
    private func hasLeft(
        _ owner: ManagedObject, by relationship: RelationshipDescription, _ member: LocalID
    ) -> Bool {
        guard relationship.storage == .inverseReference,
            let slot = relationship.inverse?.slot, let object = held(member),
            object.isChangedSinceCommit(slot)
        else { return false }
        return object.slots[slot] != .integer(owner.localID)
    }
}

extension ManagedObjectContext {
    /// Returns the object of a record that a relationship can point to.
    ///
    /// - Returns: `nil` if the record is deleted, in the context or in the store.
    func existingTarget(
        _ record: RecordID, of relationship: RelationshipDescription
    ) throws -> ManagedObject? {
        let destination = relationship.destination
        guard let id = try coordinator.store.visibleID(of: record),
            let entity = try coordinator.store.read({ try $0.entity(of: id, in: destination) }),
            entity.isKind(of: destination)
        else { return nil }
        let object = object(
            with: ManagedObjectID(origin: coordinator.origin, entity: entity, localID: id))
        return object.isDeleted ? nil : object
    }
}
