import AnabranchReplication
import AnabranchStore

/// One record of a result, with what it was sorted by when it got its place there.
///
/// The object itself may have changed since. What is compared to find a place are the keys.
final class ResultEntry {
    let id: LocalID
    let entityIndex: Int
    /// One for each sort of the plan.
    let keys: [Value]
    /// `nil` where objects are made in slices, when they are asked for.
    let object: ManagedObject?
    /// What the observer has seen of the record: the version of its row, `none` where that is not
    /// known, and whether it showed anything else.
    var version: RowVersion
    var isEdited: Bool

    init(
        id: LocalID, entityIndex: Int, keys: [Value], object: ManagedObject? = nil,
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
        // An object that was renamed has the new ID already.
        object?.objectID ?? ManagedObjectID(origin: origin, entityIndex: entityIndex, localID: id)
    }
}

extension ManagedObject {
    /// Whether what it shows is not what its row has: it has unsaved changes, or referred to
    /// somebody who is about to be deleted.
    final var differsFromRow: Bool { hasChanges || flags.contains(.refault) }
}

extension ResultEntry: Weighted {
    var weight: Int { 1 }
}

/// Neighbours of one section.
struct SectionRun: Weighted {
    let name: String
    /// Of one of its objects, the keys up to the one that names the section.
    let keys: [Value]
    var count: Int

    var weight: Int { count }
}
