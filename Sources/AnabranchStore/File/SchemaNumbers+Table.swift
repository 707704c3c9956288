import AnabranchModel
import AnabranchReplication
import AnabranchSQLite

extension SchemaNumbers {
    /// Assigns numbers.
    ///
    /// - Parameter former: The numbers that the file has, which entities and properties keep. A
    ///   program that has the file open with the former model then still knows every entity.
    init(numbering model: ManagedObjectModel, keeping former: SchemaNumbers) {
        var nextEntity = (former.entities.values.max() ?? 0) + 1
        for entity in model.entities {
            entities[entity.wireName] = former.entities[entity.wireName] ?? nextEntity
            if former.entities[entity.wireName] == nil { nextEntity += 1 }
        }
        for root in model.entities where root.superentity == nil {
            let used = root.hierarchy.flatMap { former.properties[number(of: $0)] ?? [:] }
            let dropped = former.dropped[number(of: root)]?.keys.max() ?? -1
            let first = max(used.map(\.value).max() ?? -1, dropped) + 1
            var namesakes: [WireProperty: EntityDescription] = [:]
            for (place, property) in TableLayout.storedProperties(of: root).enumerated() {
                let wire = property.wireProperty
                // The members of a group have one wire property, and one number, together.
                let namesake = namesakes[wire].map { $0 !== property.entity } ?? false
                let owner = number(of: namesake ? property.entity : root)
                if properties[owner]?[wire] == nil {
                    properties[owner, default: [:]][wire] =
                        former.properties[owner]?[wire] ?? first + place
                }
                if namesakes[wire] == nil { namesakes[wire] = property.entity }
            }
        }
    }

    static func read(_ connection: Connection) throws -> SchemaNumbers {
        var numbers = SchemaNumbers()
        let names = try connection.cached("SELECT name, number FROM ab_entity")
        while try names.step() {
            numbers.entities[WireName(names.string(at: 0))] = try names.schemaNumber(at: 1)
        }
        let statement = try connection.cached(
            "SELECT name, type, rule, entity, number FROM ab_property")
        while try statement.step() {
            let property = statement.wireProperty(at: 0)
            numbers.properties[statement.int64(at: 3), default: [:]][property] =
                Int(try statement.schemaNumber(at: 4))
        }
        try numbers.readAdditions(connection)
        try numbers.readDropped(connection)
        return numbers
    }

    /// Reads the additions. A file has no table of them until a migration adds a property.
    private mutating func readAdditions(_ connection: Connection) throws {
        guard try connection.hasTable("ab_addition") else { return }
        let statement = try connection.cached("SELECT entity, number, position FROM ab_addition")
        while try statement.step() {
            let number = Int(try statement.schemaNumber(at: 1))
            additions[statement.int64(at: 0), default: [:]][number] = try statement.amount(at: 2)
        }
    }

    private func writeAdditions(_ connection: Connection) throws {
        try connection.execute("DROP TABLE IF EXISTS ab_addition")
        guard !additions.isEmpty else { return }
        try connection.execute(
            """
            CREATE TABLE ab_addition (
                entity INTEGER, number INTEGER, position INTEGER, PRIMARY KEY (entity, number)
            ) WITHOUT ROWID
            """)
        for (entity, properties) in additions {
            for (number, position) in properties {
                try connection.run(
                    "INSERT INTO ab_addition (entity, number, position) VALUES (?, ?, ?)",
                    .integer(entity), .integer(Int64(number)), .integer(position))
            }
        }
    }

    /// Reads the dropped properties. A file has no table of them until a migration drops one.
    private mutating func readDropped(_ connection: Connection) throws {
        guard try connection.hasTable("ab_dropped") else { return }
        let statement = try connection.cached(
            "SELECT name, type, rule, root, number, entity, position FROM ab_dropped")
        while try statement.step() {
            let number = Int(try statement.schemaNumber(at: 4))
            dropped[statement.int64(at: 3), default: [:]][number] = DroppedProperty(
                entity: statement.int64(at: 5), property: statement.wireProperty(at: 0),
                position: try statement.amount(at: 6))
        }
    }

    private func writeDropped(_ connection: Connection) throws {
        try connection.execute("DROP TABLE IF EXISTS ab_dropped")
        guard dropped.contains(where: { !$0.value.isEmpty }) else { return }
        try connection.execute(
            """
            CREATE TABLE ab_dropped (
                root INTEGER, number INTEGER, entity INTEGER, name TEXT, type INTEGER,
                rule INTEGER, position INTEGER, PRIMARY KEY (root, number)
            ) WITHOUT ROWID
            """)
        for (root, properties) in dropped {
            for (number, dropped) in properties {
                let property = dropped.property
                try connection.run(
                    """
                    INSERT INTO ab_dropped (root, number, entity, name, type, rule, position)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                    .integer(root), .integer(Int64(number)), .integer(dropped.entity),
                    .text(property.name.string), .integer(Int64(property.type.rawValue)),
                    .integer(Int64(property.rule.rawValue)), .integer(dropped.position))
            }
        }
    }

    /// Replaces the numbers of a file.
    func write(_ connection: Connection) throws {
        try connection.execute("DELETE FROM ab_entity; DELETE FROM ab_property")
        for (name, number) in entities {
            try connection.run(
                "INSERT INTO ab_entity (number, name) VALUES (?, ?)", .integer(number),
                .text(name.string))
        }
        for (entity, properties) in properties {
            for (property, number) in properties {
                try connection.run(
                    """
                    INSERT INTO ab_property (entity, number, name, type, rule)
                    VALUES (?, ?, ?, ?, ?)
                    """,
                    .integer(entity), .integer(Int64(number)), .text(property.name.string),
                    .integer(Int64(property.type.rawValue)),
                    .integer(Int64(property.rule.rawValue)))
            }
        }
        try writeAdditions(connection)
        try writeDropped(connection)
    }
}

extension Statement {
    /// Reads the columns name, type and rule.
    func wireProperty(at column: Int) -> WireProperty {
        WireProperty(
            name: WireName(string(at: column)),
            type: WireType(rawValue: UInt8(truncatingIfNeeded: int64(at: column + 1))),
            rule: MergeRule(rawValue: UInt8(truncatingIfNeeded: int64(at: column + 2))))
    }

    /// Reads a value with its tag.
    func taggedValue(at column: Int) throws -> PropertyValue {
        var bytes = ByteReader(bytes(at: column))
        return try bytes.readTagged()
    }
}
