package import AnabranchModel
package import AnabranchReplication
import AnabranchSQLite

extension StoreReader {
    /// The writes of a property that the records of an object hold, the latest first.
    ///
    /// An object that shows merged duplicates has the writes of all of them. A property under
    /// `keepBoth` has every value that no write has replaced. A reference that a view rule hides is
    /// included. Writes of a former property are converted.
    ///
    /// - Parameters:
    ///   - id: The visible record.
    ///   - entity: The record's entity.
    package func heldWrites(
        of property: WireProperty, _ id: LocalID, _ entity: EntityDescription
    ) throws -> [HeldWrite] {
        let reader = try ObjectWritesReader(self, replicas: replicas())
        return try reader.writes(of: id, entity).all(of: property).map(reader.write)
    }

    /// The values of ``heldWrites(of:_:_:)`` as predicates compare them: null of a mandatory
    /// attribute is its default.
    ///
    /// - Parameters:
    ///   - id: The visible record.
    ///   - entity: The record's entity.
    ///   - version: The version after which the values were written; `nil` for all values.
    package func heldValues(
        of attribute: AttributeDescription, _ id: LocalID, _ entity: EntityDescription,
        after version: RowVersion? = nil
    ) throws -> [PropertyValue] {
        let replicas = try replicas()
        let stamps = LogStamps(connection)
        let reader = try ObjectWritesReader(self, replicas: replicas, logStamps: stamps)
        let writes = try reader.writes(of: id, entity).all(of: attribute.wireProperty)
        return try writes.filter { held in
            guard let version else { return true }
            let stamp = held.cell.stamp
            guard let ordinal = replicas.ordinal(of: stamp.replica) else { return false }
            let local = LocalStamp(timestamp: stamp.timestamp.rawValue, ordinal: ordinal)
            return try stamps.position(of: local).map { $0 > version.position } ?? false
        }.map { $0.cell.value.isNull ? attribute.valueWhenNull : $0.cell.value }
    }

    /// The writes that a view rule hides from one object.
    ///
    /// - Parameters:
    ///   - id: The visible record.
    ///   - entity: The record's entity.
    package func hiddenWrites(
        of id: LocalID, _ entity: EntityDescription
    ) throws -> [HiddenWriteRow] {
        try ObjectWritesReader(self, replicas: replicas()).hiddenWrites(of: id, entity)
    }

    /// The writes that view rules hide, by object, in the order of the model, then by ID.
    ///
    /// - Parameters:
    ///   - entity: The entity of the objects, including its sub-entities; `nil` for all.
    ///   - limit: The greatest number of writes; `nil` for all.
    package func hiddenWrites(
        of entity: EntityDescription? = nil, limit: Int? = nil, offset: Int = 0
    ) throws -> [HiddenWriteRow] {
        let reader = try ObjectWritesReader(self, replicas: replicas())
        var found: [HiddenWriteRow] = []
        var (rest, skipped) = (limit ?? .max, offset)
        for table in schema.tables where entity == nil || entity?.root == table.root {
            let statement = try objectsThatHide(table, entity)
            while rest > 0, try statement.step() {
                guard let entity = schema.entity(numbered: statement.int64(at: 1)) else { continue }
                let writes = try reader.hiddenWrites(of: statement.int64(at: 0), entity)
                let taken = writes.dropFirst(skipped).prefix(rest)
                skipped -= min(skipped, writes.count)
                rest -= taken.count
                found += taken
            }
        }
        return found
    }

    /// Selects the rows of a table that may not show everything that is held for them.
    private func objectsThatHide(
        _ table: TableLayout, _ entity: EntityDescription?
    ) throws -> Statement {
        let discriminator =
            table.hasDiscriminator
            ? "t.ab_entity" : "\(schema.layout(of: table.root).number)"
        let duplicates =
            try MergedDuplicateRows.isEmpty(on: connection)
            ? "" : "UNION SELECT visible FROM ab_shadow"
        return try connection.prepare(
            """
            SELECT t.ab_pk, \(discriminator) FROM (
            SELECT record FROM ab_hidden WHERE rule <> \(HiddenReferences.Rule.redirected.rawValue)
            UNION SELECT record FROM ab_deferred_cell WHERE rule = \(MergeRule.keepBoth.rawValue)
            \(duplicates)) h
            CROSS JOIN \(table.name) t ON t.ab_pk = h.record
            \(entity.map { schema.restriction(to: $0, alias: "t", after: "WHERE") } ?? "")
            ORDER BY t.ab_pk
            """)
    }
}
