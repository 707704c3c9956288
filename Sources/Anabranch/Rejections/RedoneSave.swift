public import AnabranchReplication

/// What became of a rejected save that is done once more.
public struct RedoneSave: Sendable {
    /// Something that can't be done any more.
    public struct Omission: Hashable, Sendable {
        /// The record that it was about.
        public let record: RecordID
        /// By its wire name.
        public let entity: String
        /// By its wire name; `nil` where the record itself is deleted, or nothing that the model
        /// knows.
        public let property: String?
    }

    /// The objects that stand for those that the save had inserted, by what these were.
    public internal(set) var insertedIDs: [RecordID: ManagedObjectID] = [:]
    /// What was left out, because a record or an end is deleted by now, or the model does not know
    /// it.
    public internal(set) var omissions: [Omission] = []
}
