import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// How the records that other replicas have inserted fit the model of a store.
package enum ZoneEntities: Hashable, Sendable {
    /// There are none.
    case none
    /// At least one is of an entity of the model.
    case known
    /// All are of entities that the model lacks.
    case foreign(ForeignEntities)

    package var foreign: ForeignEntities? {
        if case .foreign(let entities) = self { entities } else { nil }
    }
}

/// The entities of a zone of which a store's model has none.
package struct ForeignEntities: Hashable, Sendable {
    /// The wire names of the entities of which the zone has records.
    package let zone: [String]
    /// The names of the entities of the store's model.
    package let model: [String]
}

extension Store {
    /// Compares the entities of the records that other replicas have inserted with the model.
    ///
    /// What a file knows of such records are its deferred rows, so the answer survives a restart.
    /// Records of this file's own replica do not count: they show nothing about the zone that the
    /// file has joined.
    package func zoneEntities() throws -> ZoneEntities {
        try read { reader in
            let connection = reader.connection
            let own = try StoreState.read(connection).ordinal
            let first = LocalID(ordinal: own, number: 0)
            let end = LocalID(ordinal: own + 1, number: 0)
            for table in reader.schema.syncedTables {
                let known = try connection.firstValue(
                    "SELECT 1 FROM \(table.name) WHERE ab_pk < ? OR ab_pk >= ? LIMIT 1",
                    .integer(first), .integer(end))
                if known != nil { return .known }
            }
            let rows = try connection.rows(
                "SELECT DISTINCT entity FROM ab_deferred_record WHERE record < ? OR record >= ?",
                .integer(first), .integer(end))
            let names = Set(
                rows.compactMap { row -> String? in
                    guard case .text(let name)? = row.first else { return nil }
                    // Names that begin so are those of the zone's settings, never of a model.
                    return name.hasPrefix("ab_") ? nil : name
                })
            let entities = reader.schema.model.entities
            guard !names.isEmpty else { return .none }
            guard names.isDisjoint(with: entities.map { $0.wireName.string }) else { return .known }
            return .foreign(
                ForeignEntities(
                    zone: names.sorted(),
                    model: entities.filter { !$0.isAbstract }.map(\.name).sorted()))
        }
    }
}
