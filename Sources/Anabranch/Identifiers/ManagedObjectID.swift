public import AnabranchModel
import AnabranchReplication
package import AnabranchStore
public import Foundation

/// The identifier of a managed object: a small value that crosses queues and contexts, and is
/// permanent from insertion on.
///
/// Equal IDs of one coordinator name the same record, whichever context they came from.
public struct ManagedObjectID: Sendable {
    // Sixteen plain bytes: lists of IDs are made, copied and dropped without counting references.
    package let localID: LocalID
    private let originNumber: Int32
    private let entityIndex: Int32

    package init(origin: StoreOrigin, entity: EntityDescription, localID: LocalID) {
        self.init(origin: origin, entityIndex: entity.index, localID: localID)
    }

    init(origin: StoreOrigin, entityIndex: Int, localID: LocalID) {
        self.localID = localID
        originNumber = origin.number
        self.entityIndex = Int32(truncatingIfNeeded: entityIndex)
    }

    package var origin: StoreOrigin { .numbered(originNumber) }

    /// Returns true if the ID belongs to the store with this origin.
    func belongs(to origin: StoreOrigin) -> Bool { originNumber == origin.number }

    /// The object's own entity. An ID that was made from a record and a super-entity has that
    /// super-entity.
    public var entity: EntityDescription { origin.model.entities[Int(entityIndex)] }

    /// True if the store has the object's row.
    ///
    /// It is false before an inserted object is saved, and after its deletion was saved. The ID
    /// itself does not change.
    ///
    /// - Throws: `StoreError`, also if the store is closed.
    public var isStored: Bool {
        get throws { try origin.hasRow(of: localID, entity) }
    }

    /// The record's identity, which is the same on every replica.
    ///
    /// - Throws: `StoreError` if the store can't be read, or was closed before it read the name of
    ///   the record's replica.
    public var recordID: RecordID {
        get throws { try origin.recordID(of: localID) }
    }

    /// The URI `anabranch://<replica>/<entity>/<number>`, which is the same on every replica.
    ///
    /// It has the wire name of the entity, so it names the object also after the entity is renamed.
    ///
    /// If ``recordID`` throws, the URI is `anabranch:///<entity>/<local number>`, which names the
    /// object in no store: ``PersistentStoreCoordinator/managedObjectID(forURIRepresentation:)``
    /// returns `nil` for it.
    public var uriRepresentation: URL {
        guard let record = try? recordID else { return RecordURI.unnamed(localID, of: entity) }
        return RecordURI(record, of: entity).url
    }
}

extension ManagedObjectID: Hashable {
    /// Returns true if both IDs name the same record of the same store.
    public static func == (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
        left.localID == right.localID && left.originNumber == right.originNumber
    }

    /// Hashes the record's local ID.
    public func hash(into hasher: inout Hasher) { hasher.combine(localID) }
}

extension ManagedObjectID: CustomStringConvertible {
    /// The text `Person/12`, or `Person/3:12` for a record of the file's third other replica.
    public var description: String {
        let ordinal = localID.ordinal
        return ordinal == 0
            ? "\(entity.name)/\(localID.number)" : "\(entity.name)/\(ordinal):\(localID.number)"
    }
}
