import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

/// The mark of a file in which every row shows the defaults that the model gives it
/// (`ab_meta`, key `defaults`).
///
/// Files of earlier builds lack it. Their rows show null of a mandatory attribute as null, and
/// elements of an optional composite attribute that was never written as their defaults.
enum ShownDefaults {
    private static let key = "defaults"

    static func areMarked(in connection: Connection) throws -> Bool {
        try connection.firstValue("SELECT 1 FROM ab_meta WHERE key = ?", .text(key)) != nil
    }

    static func mark(_ connection: Connection) throws {
        try connection.run(
            "INSERT OR IGNORE INTO ab_meta (key, value) VALUES (?, x'01')", .text(key))
    }

    /// True if a row of a file without the mark may show something else than its default.
    static func mayBeMissing(_ schema: StoreSchema, _ connection: Connection) throws -> Bool {
        try schema.tables.contains { table in
            try table.properties.contains { property in
                if let group = property.group { return group.defaults.isNeeded }
                guard !property.valueWhenNull.isNull else { return false }
                // The columns of counters and keys had no default.
                return try property.rule == .counter
                    || schema.constraints.contains { $0.wireProperties.contains(property.wire) }
                    || table.hasNull(property, in: schema, connection)
            }
        }
    }
}

extension TableLayout {
    /// True if the column of a property is NULL in a row of an entity that has it.
    func hasNull(
        _ property: Property, in schema: StoreSchema, _ connection: Connection
    ) throws -> Bool {
        let restriction = schema.restriction(to: property.entity, alias: "t", after: "AND")
        return try connection.firstValue(
            """
            SELECT 1 FROM \(name) t WHERE t.\(property.column.name) IS NULL \(restriction) LIMIT 1
            """) != nil
    }
}
