public import AnabranchModel
import AnabranchReplication
package import AnabranchStore
public import Foundation

/// Which object: a small value that crosses queues and contexts, permanent from insertion on.
///
/// Equal IDs of one coordinator name one record, whichever context gave them.
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

    /// Whether it is an ID of the store that was opened.
    func belongs(to origin: StoreOrigin) -> Bool { originNumber == origin.number }

    /// The object's own entity, not one above it.
    public var entity: EntityDescription { origin.model.entities[Int(entityIndex)] }

    /// Whether the store has the object's row.
    ///
    /// Not yet that of an object that was inserted and not saved, and no more that of one that was
    /// deleted. The ID itself is the same before and after.
    ///
    /// - Throws: ``StoreError``, also where the store is closed.
    public var isStored: Bool {
        get throws { try origin.hasRow(of: localID, entity) }
    }

    /// The record's identity on every replica.
    ///
    /// - Throws: ``StoreError`` where the store is closed.
    public var recordID: RecordID {
        get throws { try origin.recordID(of: localID) }
    }

    /// `anabranch://<replica>/<entity>/<number>`: the same on every replica.
    ///
    /// - Throws: ``StoreError`` where the store is closed.
    public var uriRepresentation: URL {
        get throws {
            let record = try recordID
            var parts = URLComponents()
            parts.scheme = "anabranch"
            parts.host = record.replica.description
            parts.path = "/\(entity.name)/\(record.number)"
            guard let url = parts.url else {
                throw StoreError(
                    .corrupt, "Can't write the URI of an object of \(entity.name).",
                    entity: entity.name)
            }
            return url
        }
    }
}

extension ManagedObjectID: Hashable {
    public static func == (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
        left.localID == right.localID && left.originNumber == right.originNumber
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(localID) }
}

extension ManagedObjectID: CustomStringConvertible {
    /// `Person/12`, or `Person/3:12` for a record of the file's third other replica.
    public var description: String {
        let ordinal = localID.ordinal
        return ordinal == 0
            ? "\(entity.name)/\(localID.number)" : "\(entity.name)/\(ordinal):\(localID.number)"
    }
}
