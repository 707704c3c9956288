public import AnabranchReplication
import AnabranchStore

/// An object whose row was changed or deleted by somebody else since the context has read it.
///
/// Snapshots and values have stored attributes and to-one relationships by name, a to-one as a
/// record reference, and never relationships to many, which do not conflict. There is no cache of
/// rows between a context and its store, so what Core Data calls the cached snapshot is always
/// `nil` here and has no property: a conflict is one between the context and the store.
public struct MergeConflict: Sendable {
    public let objectID: ManagedObjectID
    /// The values as last read; empty where the context never read them.
    public let objectSnapshot: [String: Value]
    /// The values that the store has now; `nil` where the row was deleted.
    public let persistedSnapshot: [String: Value]?
    /// The values that the object has in the context.
    public let values: [String: Value]
    /// Those of them that were changed here.
    public let changedValues: [String: Value]
    /// Whether the object is to be deleted by the save.
    public let isDeletedInContext: Bool
    /// Of the row that was last read; only good to be compared.
    public let oldVersion: Int64
    /// Of the row that the store has now; zero where it was deleted.
    public let newVersion: Int64

    /// Whether the row was deleted.
    public var isDeleted: Bool { persistedSnapshot == nil }

    /// - Parameter row: As the store has it; `nil` where it is gone.
    init(_ object: ManagedObject, _ row: FreshRow?) throws {
        objectID = object.objectID
        objectSnapshot = try object.snapshot { object.committedValue($0) }
        persistedSnapshot = try row.map { row in try object.snapshot { row.slots[$0] } }
        let values = try object.snapshot { object.slots[$0] }
        self.values = values
        changedValues = try object.changedRowValues().filter { values[$0.key] != nil }
        isDeletedInContext = object.flags.contains(.deleted)
        oldVersion = object.version.position
        newVersion = row?.version.position ?? 0
    }
}

/// Objects that would hold one unique key.
///
/// Each constraint has its own conflict, and objects of all entities of a hierarchy that hold one
/// key are in one.
public struct ConstraintConflict: Sendable {
    /// An object of the context that the save would give the key.
    public struct ConflictingObject: Sendable {
        public let objectID: ManagedObjectID
        /// The values as last read; `nil` of a new object.
        public let snapshot: [String: Value]?
        /// The values that the object has in the context.
        public let values: [String: Value]
    }

    /// The names of the constraint's attributes.
    public let constraint: [String]
    public let constraintValues: [String: Value]
    /// The object that holds the key already; `nil` where only objects of the context would.
    public let databaseObjectID: ManagedObjectID?
    /// The values of that object, as ``MergeConflict`` has them.
    public let databaseSnapshot: [String: Value]?
    /// In the order in which they would be saved one after the other.
    public let conflictingObjects: [ConflictingObject]

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
    fileprivate final func snapshot(_ value: (Int) -> Value) throws -> [String: Value] {
        guard flags.contains(.hasRow) else { return [:] }
        var values: [String: Value] = [:]
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
    let slots: [Value]

    init(_ row: StoredRow) {
        version = row.version
        slots = row.slots
    }
}
