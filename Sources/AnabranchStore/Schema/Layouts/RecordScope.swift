import AnabranchModel
import AnabranchReplication

/// The records that an operation is about: those that replicas share, or those of entities that
/// are kept in this store only.
///
/// Whatever goes to another replica, or comes from one, is about synced records. It asks the schema
/// for their tables, so it can neither read nor change an unsynced record.
enum RecordScope { case synced, unsynced }

extension StoreSchema {
    func tables(_ scope: RecordScope) -> [TableLayout] {
        scope == .synced ? syncedTables : tables.filter { !$0.isSynced }
    }

    func linkLayouts(_ scope: RecordScope) -> [LinkLayout] {
        scope == .synced ? syncedLinkLayouts : linkLayouts.filter { !$0.leftEntity.isSynced }
    }

    /// True if the model has entities that are kept in this store only.
    var hasUnsyncedEntities: Bool { syncedTables.count < tables.count }

    /// True if the model has synced relationships that are stored as links.
    var hasLinks: Bool { !syncedLinkLayouts.isEmpty }

    /// The entity with a wire name, if its records are of a scope.
    ///
    /// Another replica may sync an entity that this model does not sync. Then this store keeps the
    /// records of that replica as those of an unknown entity.
    func entity(wireName: WireName, _ scope: RecordScope = .synced) -> EntityDescription? {
        guard let entity = model.entity(wireName: wireName),
            entity.isSynced == (scope == .synced)
        else { return nil }
        return entity
    }

    /// The layout of an entity; `nil` if its records are kept as those of an unknown entity, which
    /// includes abstract entities.
    func recordLayout(named name: WireName, _ scope: RecordScope = .synced) -> EntityLayout? {
        guard let entity = entity(wireName: name, scope), !entity.isAbstract else { return nil }
        return layout(of: entity)
    }
}
