public import AnabranchReplication

/// The result of applying a rejected save again.
public struct ReappliedSave: Sendable {
    /// An operation of the rejected save that can't be applied any more.
    public struct Omission: Hashable, Sendable {
        /// The record of the operation.
        public let record: RecordID
        /// The wire name of the record's entity.
        public let entity: String
        /// The wire name of the property; `nil` if the record is deleted or of an unknown entity.
        public let property: String?
    }

    /// The new objects, by the records that the rejected save had inserted.
    public internal(set) var insertedIDs: [RecordID: ManagedObjectID] = [:]
    /// The operations that were left out, because a record or one end of a link is deleted, or the
    /// model does not know the entity or property.
    public internal(set) var omissions: [Omission] = []
}
