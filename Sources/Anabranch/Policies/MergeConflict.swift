public import AnabranchReplication
import AnabranchStore

/// An object that another context or replica changed or deleted in the store since this context
/// read it.
///
/// Snapshots and values contain stored attributes and to-one relationships by name, a to-one
/// relationship as a record reference. To-many relationships do not conflict and are not included.
/// There is no row cache between a context and its store, and so Core Data's cached snapshot has
/// no counterpart: a conflict is always between the context and the store.
public struct MergeConflict: Sendable {
    /// The ID of the object.
    public let objectID: ManagedObjectID
    /// The values as last read; empty if the context never read them.
    public let objectSnapshot: [String: PropertyValue]
    /// The values that the store has now; `nil` if the row was deleted.
    public let persistedSnapshot: [String: PropertyValue]?
    /// The values that the object has in the context.
    public let values: [String: PropertyValue]
    /// The values that were changed in the context.
    public let changedValues: [String: PropertyValue]
    /// True if the save is to delete the object.
    public let isDeletedInContext: Bool
    /// The version of the row that was last read. Use it for comparisons only.
    public let oldVersion: Int64
    /// The version of the row that the store has now; zero if the row was deleted.
    public let newVersion: Int64

    /// True if the row was deleted.
    public var isDeleted: Bool { persistedSnapshot == nil }

    /// - Parameter row: As the store has it; `nil` where it is gone.
    init(_ object: ManagedObject, _ row: FreshRow?) throws {
        objectID = object.objectID
        let edits = object.managedObjectContext?.overlaidEdits
        objectSnapshot = try object.snapshot { slot in
            edits?[object, slot]?.value ?? object.committedValue(slot)
        }
        persistedSnapshot = try row.map { row in try object.snapshot { row.slots[$0] } }
        let values = try object.snapshot { object.slots[$0] }
        self.values = values
        changedValues = try object.changedRowValues().filter { values[$0.key] != nil }
        isDeletedInContext = object.flags.contains(.deleted)
        oldVersion = object.version.position
        newVersion = row?.version.position ?? 0
    }
}

/// Objects that would have the same unique key.
///
/// Each uniqueness constraint has its own conflict, which includes the objects of all entities of
/// the hierarchy with one key.
public struct ConstraintConflict: Sendable {
    /// An object of the context to which the save would give the key.
    public struct ConflictingObject: Sendable {
        /// The ID of the object.
        public let objectID: ManagedObjectID
        /// The values as last read; `nil` for a new object.
        public let snapshot: [String: PropertyValue]?
        /// The values that the object has in the context.
        public let values: [String: PropertyValue]
    }

    /// The names of the constraint's attributes.
    public let constraint: [String]
    /// The key: the values of the constraint's attributes by name.
    public let constraintValues: [String: PropertyValue]
    /// The ID of the object that already has the key; `nil` if only objects of the context would
    /// have it.
    public let databaseObjectID: ManagedObjectID?
    /// The values of that object, in the form that ``MergeConflict`` describes.
    public let databaseSnapshot: [String: PropertyValue]?
    /// The objects of the context that would have the key, in the order in which they would be
    /// saved one after another.
    public let conflictingObjects: [ConflictingObject]

    /// The IDs of the conflicting objects of the context.
    public var conflictingObjectIDs: [ManagedObjectID] { conflictingObjects.map(\.objectID) }

    init(_ contest: KeyContest) throws {
        constraint = contest.conflict.attributes.map(\.name)
        let holder = contest.claimants.first ?? contest.holder
        constraintValues = Dictionary(
            contest.conflict.attributes.map { attribute in
                (attribute.name, holder?.slots[attribute.slot] ?? .null)
            }, uniquingKeysWith: { first, _ in first })
        databaseObjectID = contest.holder?.objectID
        databaseSnapshot = try contest.holder.map { holder in
            try holder.snapshot { holder.committedValue($0) }
        }
        conflictingObjects = try contest.claimants.map { object in
            ConflictingObject(
                objectID: object.objectID,
                snapshot: object.flags.contains(.inserted)
                    ? nil : try object.snapshot { object.committedValue($0) },
                values: try object.snapshot { object.slots[$0] })
        }
    }
}

extension ManagedObject {
    /// What is stored in the row, by name.
    ///
    /// - Parameter value: Of a slot; not called where the object has none.
    fileprivate final func snapshot(_ value: (Int) -> PropertyValue) throws -> [String:
        PropertyValue]
    {
        guard flags.contains(.hasRow) else { return [:] }
        var values: [String: PropertyValue] = [:]
        for slot in home.plan.storedSlots {
            let property = entity.slots[slot]
            values[property.name] = try portable(value(slot), of: property)
        }
        return values
    }
}

/// A row that was read because its object is in conflict.
struct FreshRow {
    let version: RowVersion
    /// One value for every slot; those that are not stored are null.
    let slots: [PropertyValue]

    init(_ row: StoredRow) {
        version = row.version
        slots = row.slots
    }
}
