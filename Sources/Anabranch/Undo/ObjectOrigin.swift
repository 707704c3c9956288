import AnabranchModel
import AnabranchReplication
import AnabranchStore

/// What an object was like when the present event first touched it, its values aside.
struct ObjectOrigin {
    enum Existence {
        /// The context did not have it.
        case absent
        case present
        /// Its deletion was pending.
        case deleted
    }

    let existence: Existence
    let wasUpdated: Bool
    /// Groups that were set as a whole.
    let carriedGroups: [WireProperty: GroupValue]?

    init(of object: ManagedObject, in context: ManagedObjectContext) {
        existence =
            object.flags.contains(.insertedInEvent)
            ? .absent : object.flags.contains(.deleted) ? .deleted : .present
        wasUpdated = object.flags.contains(.updated)
        carriedGroups = context.carriedGroups.isEmpty ? nil : context.carriedGroups[object]
    }
}

/// A link, by its two ends as they are stored.
struct LinkKey: Hashable {
    let owner: ManagedObject
    let relationship: RelationshipDescription
    let member: ManagedObject

    /// - Parameter owner: As `member`, on either side.
    init(
        _ owner: ManagedObject, _ relationship: RelationshipDescription, _ member: ManagedObject
    ) {
        let side = relationship.storage.side
        let isTurned =
            side == .right
            || side == .both && ObjectIdentifier(member) < ObjectIdentifier(owner)
        if isTurned, let inverse = relationship.inverse {
            self.init(stored: member, inverse, owner)
        } else {
            self.init(stored: owner, relationship, member)
        }
    }

    private init(
        stored owner: ManagedObject, _ relationship: RelationshipDescription,
        _ member: ManagedObject
    ) {
        self.owner = owner
        self.relationship = relationship
        self.member = member
    }
}

/// One owner's relationship: a list, or another one without a slot value.
struct ListKey: Hashable {
    let owner: ManagedObject
    /// In the owner's plan.
    let index: Int
}

/// The order of a list when the present event first changed it.
struct ListOrigin {
    let order: [LocalID]
    /// Added or moved since the last save.
    let placed: Set<LocalID>
}

/// A reference that a pending deletion has emptied.
struct ClearedReference {
    let object: ManagedObject
    let slot: Int
    let id: LocalID
    /// To whom the object's row leads.
    let committed: LocalID?
}
