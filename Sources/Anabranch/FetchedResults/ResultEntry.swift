import AnabranchReplication
import AnabranchStore

/// A record of a result, with the sort keys that it had when it got its place.
///
/// The object may have changed since. Places are found by comparing the keys.
final class ResultEntry {
    let id: LocalID
    let entityIndex: Int
    /// The sort keys, one for each sort of the plan.
    let keys: [PropertyValue]
    /// The object; `nil` if objects are created in batches on access.
    let object: ManagedObject?
    /// The version of the row that the observer has seen, or `none` if it is unknown. `isEdited`
    /// is true if the object showed something other than its row.
    var version: RowVersion
    var isEdited: Bool
    /// The name of the section; `nil` if a sort key has it.
    var sectionName: String?

    init(
        id: LocalID, entityIndex: Int, keys: [PropertyValue], object: ManagedObject? = nil,
        version: RowVersion = .none, isEdited: Bool = false
    ) {
        self.id = id
        self.entityIndex = entityIndex
        self.keys = keys
        self.object = object
        self.version = version
        self.isEdited = isEdited
    }

    func objectID(_ origin: StoreOrigin) -> ManagedObjectID {
        // After a change of its ID, the object already has the new one.
        object?.objectID ?? ManagedObjectID(origin: origin, entityIndex: entityIndex, localID: id)
    }
}

extension ManagedObject {
    /// True if the object shows something other than its row: it has unsaved changes, or it
    /// pointed to an object with a pending deletion.
    final var differsFromRow: Bool { hasChanges || flags.contains(.refault) }
}

extension ResultEntry: Weighted {
    var weight: Int { 1 }
}

/// Consecutive entries of one section.
struct SectionRun: Weighted {
    let name: String
    /// The keys of one of the entries, up to the key that names the section.
    let keys: [PropertyValue]
    var count: Int

    var weight: Int { count }
}
