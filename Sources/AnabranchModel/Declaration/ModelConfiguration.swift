/// A named subset of a model's entities.
///
/// A store holds the entities of all configurations. A configuration matters if it is not synced:
/// the objects of its entities are kept in this store only, such as drafts, caches or the state of
/// windows. They are saved in the same transaction as synced objects, and they take part in
/// fetches, validation, undo and notifications like these. But they are in no change set, so no
/// zone, bundle or other replica ever has them.
///
/// An entity that is in an unsynced configuration is not synced, whatever else it belongs to. So
/// is its whole hierarchy, and it can't have relationships with synced entities.
public struct ModelConfiguration: Hashable, Sendable {
    /// The name; unique in the model.
    public var name: String
    /// The names of the member entities, in any order.
    package var entities: [String]
    /// False if the objects of the member entities are kept in this store only.
    package var isSynced: Bool

    /// Declares a configuration of the entities with these names.
    public init(_ name: String, entities: [String], isSynced: Bool = true) {
        self.name = name
        self.entities = entities
        self.isSynced = isSynced
    }

    /// Declares a configuration of the entities with these names.
    public init(_ name: String, _ entities: String..., isSynced: Bool = true) {
        self.init(name, entities: entities, isSynced: isSynced)
    }
}
