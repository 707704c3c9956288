import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Foundation
import TestSupport

/// A database with the content of a ``SampleGraph`` in the tables of a store.
struct SampleDatabase {
    let graph: SampleGraph
    let naming: SampleNaming
    let connection: Connection

    init(_ graph: SampleGraph) throws {
        self.graph = graph
        naming = SampleNaming(model: graph.model)
        connection = try Connection(path: ":memory:")
        try PredicateFunctions.define(on: connection)
        try connection.createCollation("ab_decimal") { left, right in
            let left = ExactDecimal(String(decoding: left, as: UTF8.self)) ?? .zero
            let right = ExactDecimal(String(decoding: right, as: UTF8.self)) ?? .zero
            return left < right ? -1 : right < left ? 1 : 0
        }
        try connection.execute("BEGIN")
        try createTables()
        try insertRows()
        try createSearchTables()
        try connection.execute("COMMIT")
    }

    /// Returns the IDs in the order of the statement's rows.
    func identifiers(
        _ entity: String, _ predicate: ResolvedPredicate? = nil, sorts: [ResolvedSort] = [],
        limit: Int? = nil, offset: Int = 0, includesSubentities: Bool = true
    ) throws -> [Int64] {
        let statement = try statement(
            entity, predicate, sorts: sorts, limit: limit, offset: offset,
            includesSubentities: includesSubentities)
        return try run(statement).compactMap { row in
            if case .integer(let id) = row.first { id } else { nil }
        }
    }

    /// Returns a predicate in which every FETCH is replaced by its result.
    func withResultsOfFetches(in predicate: FetchPredicate) throws -> FetchPredicate {
        try predicate.replacingFetches { fetch, isCount in
            guard let entity = graph.model.entity(named: fetch.entityName) else {
                throw UnknownEntity()
            }
            let found = try identifiers(
                fetch.entityName,
                fetch.predicate.map { try withResultsOfFetches(in: $0).resolved(for: entity) },
                sorts: fetch.sorts.map { try $0.resolved(for: entity) },
                limit: fetch.limit == 0 ? nil : fetch.limit, offset: fetch.offset,
                includesSubentities: fetch.includesSubentities)
            if isCount { return .value(.integer(Int64(found.count))) }
            return .collection(
                found.map {
                    .object(PredicateObjectReference(record: $0, store: SampleGraph.store))
                })
        }
    }

    func statement(
        _ entity: String, _ predicate: ResolvedPredicate? = nil, sorts: [ResolvedSort] = [],
        limit: Int? = nil, offset: Int = 0, includesSubentities: Bool = true,
        selecting selection: FetchStatement.Selection = .identifiers
    ) throws -> FetchStatement {
        guard let entity = graph.model.entity(named: entity) else { throw UnknownEntity() }
        return try FetchStatement(
            entity: entity, includesSubentities: includesSubentities, predicate: predicate,
            sorts: sorts, limit: limit, offset: offset, selecting: selection, in: naming,
            store: SampleGraph.store)
    }

    func run(_ statement: FetchStatement, prefix: String = "") throws -> [[SQLiteValue]] {
        let prepared = try connection.prepare(prefix + statement.sql)
        for (index, value) in statement.bindings.enumerated() {
            try prepared.bind(Self.stored(value), at: index + 1)
        }
        var rows: [[SQLiteValue]] = []
        while try prepared.step() {
            rows.append((0..<prepared.columnCount).map { prepared.value(at: $0) })
        }
        return rows
    }

    func plan(_ statement: FetchStatement) throws -> String {
        try run(statement, prefix: "EXPLAIN QUERY PLAN ").compactMap { row in
            if case .text(let text) = row.last { text } else { nil }
        }.joined(separator: "\n")
    }

    private struct UnknownEntity: Error {}

    static func stored(_ value: PropertyValue) -> SQLiteValue {
        switch value {
        case .null, .reference, .group, .unknown: .null
        case .bool(let flag): .integer(flag ? 1 : 0)
        case .integer(let number): .integer(number)
        case .double(let number), .date(let number): number.isNaN ? .text("NaN") : .real(number)
        case .decimal(let number): .text(number.description)
        case .string(let text), .uri(let text): .text(text)
        case .data(let data): .blob([UInt8](data))
        case .uuid(let uuid): .blob(withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) })
        }
    }
}

// MARK: Tables

extension SampleDatabase {
    private func createTables() throws {
        for root in graph.model.entities where root.superentity == nil {
            let columns = SampleNaming.columns(of: root).map { property in
                "\"\(property.name)\" \(Self.declaration(property))"
            }
            let positions = SampleNaming.listColumns(of: root).map {
                "\"\($0.name)_position\" INTEGER"
            }
            try connection.execute(
                "CREATE TABLE \"\(root.name)\" (ab_pk INTEGER PRIMARY KEY, ab_entity INTEGER, "
                    + (columns + positions).joined(separator: ", ") + ")")
            for index in root.indexes {
                let names = index.elements.map { "\"\($0.property.name)\"" }
                try connection.execute(
                    "CREATE INDEX \"\(root.name)_\(index.name)\" ON \"\(root.name)\" "
                        + "(\(names.joined(separator: ", ")))")
            }
            for property in SampleNaming.columns(of: root) where property.attribute == nil {
                try connection.execute(
                    "CREATE INDEX \"\(root.name)_\(property.name)\" ON \"\(root.name)\" "
                        + "(\"\(property.name)\")")
            }
        }
        try connection.execute(
            "CREATE TABLE ab_deferred_cell (record INTEGER, name TEXT, type INTEGER, "
                + "rule INTEGER, value BLOB); CREATE TABLE ab_shadow (record INTEGER, "
                + "visible INTEGER)")
        for relationship in naming.linkRelationships {
            let name = naming.linkTable(for: relationship).name
            try connection.execute(
                "CREATE TABLE \(name) (\"left\" INTEGER, \"right\" INTEGER, "
                    + "left_position INTEGER, right_position INTEGER, "
                    + "PRIMARY KEY (\"left\", \"right\")) WITHOUT ROWID")
        }
    }

    private static func declaration(_ property: PropertyDescription) -> String {
        guard let attribute = property.attribute else { return "INTEGER" }
        return switch attribute.type {
        case .integer16, .integer32, .integer64, .boolean: "INTEGER"
        case .float, .double, .date, .undefined: ""
        case .decimal, .string, .uri: "TEXT"
        case .binary, .transformable, .uuid: "BLOB"
        }
    }

    private func insertRows() throws {
        for row in graph.rows.values {
            let columns = SampleNaming.columns(of: row.entity.root)
            let lists = SampleNaming.listColumns(of: row.entity.root)
            let marks = String(repeating: ", ?", count: columns.count + lists.count)
            let statement = try connection.cached(
                "INSERT INTO \"\(row.entity.root.name)\" VALUES (?, ?\(marks))")
            try statement.bind(row.id, at: 1)
            try statement.bind(Int64(row.entity.index), at: 2)
            for (index, column) in columns.enumerated() {
                let value = Self.stored(row.values[column.name] ?? .null)
                try statement.bind(value, at: index + 3)
            }
            for (index, column) in lists.enumerated() {
                let value = position(of: row, by: column)
                try statement.bind(value, at: columns.count + index + 3)
            }
            try statement.run()
            try insertHeldValues(of: row)
        }
        for (relationship, links) in graph.links {
            for link in links {
                try connection.run(
                    "INSERT INTO \(naming.linkTable(for: relationship).name) VALUES (?, ?, ?, ?)",
                    .integer(link.left), .integer(link.right),
                    position(of: link.right, in: relationship, of: link.left),
                    position(of: link.left, in: relationship.inverse, of: link.right))
            }
        }
    }

    private func insertHeldValues(of row: SampleGraph.Row) throws {
        for attribute in row.entity.attributes {
            let property = attribute.wireProperty
            for value in row.held[attribute.name] ?? [] {
                var writer = ByteWriter()
                writer.append(tagged: value)
                try connection.run(
                    "INSERT INTO ab_deferred_cell VALUES (?, ?, ?, ?, ?)", .integer(row.id),
                    .text(property.name.string), .integer(Int64(property.type.rawValue)),
                    .integer(Int64(property.rule.rawValue)), .blob(writer.bytes))
            }
        }
    }

    /// The position of a row in the list of the object to which one of its to-ones points.
    private func position(
        of row: SampleGraph.Row, by column: RelationshipDescription
    ) -> SQLiteValue {
        guard case .integer(let owner)? = row.values[column.name] else { return .null }
        return position(of: row.id, in: column.inverse, of: owner)
    }

    private func position(
        of element: Int64, in relationship: RelationshipDescription?, of owner: Int64
    ) -> SQLiteValue {
        guard let relationship else { return .null }
        let place = SampleGraph.ListElement(
            relationship: relationship, owner: owner, element: element)
        return graph.positions[place].map { .integer($0) } ?? .null
    }

    private func createSearchTables() throws {
        for root in graph.model.entities where root.superentity == nil {
            let columns = SampleNaming.searchColumns(of: root).map { "\"\($0.name)\"" }
            guard !columns.isEmpty else { continue }
            let name = naming.searchTable(for: root)
            try connection.execute(
                "CREATE VIRTUAL TABLE \(name) USING fts5(\(columns.joined(separator: ", ")), "
                    + "content = \"\(root.name)\", content_rowid = ab_pk, "
                    + "tokenize = 'unicode61 remove_diacritics 2')")
            try connection.execute("INSERT INTO \(name) (\(name)) VALUES ('rebuild')")
        }
    }
}

/// A schema in which tables and columns have the names of the model.
struct SampleNaming: SchemaNaming {
    let model: ManagedObjectModel

    func table(for entity: EntityDescription) -> String { "\"\(entity.root.name)\"" }

    func column(for property: PropertyDescription) -> String { "\"\(property.name)\"" }

    func entityNumbers(
        for entity: EntityDescription, includingSubentities: Bool
    ) -> [Int64]? {
        guard entity.root.hierarchy.count > 1 else { return nil }
        return (includingSubentities ? entity.hierarchy : [entity]).map { Int64($0.index) }
    }

    func searchTable(for entity: EntityDescription) -> String { "\"\(entity.root.name)_search\"" }

    func searchColumn(of attribute: AttributeDescription) -> Int {
        Self.searchColumns(of: attribute.entity.root).firstIndex(of: attribute) ?? -1
    }

    func linkTable(for relationship: RelationshipDescription) -> LinkTableNames {
        let stored = relationship.storedSide
        let isRight = relationship.storage == .links(.right)
        return LinkTableNames(
            name: "\"\(stored.entity.name)_\(stored.name)\"",
            ownColumn: isRight ? "\"right\"" : "\"left\"",
            otherColumn: isRight ? "\"left\"" : "\"right\"")
    }

    let mergesDuplicates = true

    func listOrder(
        of relationship: RelationshipDescription, _ aliases: ListAliases
    ) -> [String] {
        let position = position(in: relationship, aliases)
        return ["\(position) IS NOT NULL", position, "\(aliases.element).ab_pk"]
    }

    private func position(
        in relationship: RelationshipDescription, _ aliases: ListAliases
    ) -> String {
        switch relationship.storage {
        case .links(.left): return "\(aliases.link).left_position"
        case .links(.right): return "\(aliases.link).right_position"
        case .links(.both):
            let (link, element) = (aliases.link, aliases.element)
            return "CASE WHEN \(link).\"right\" = \(element).ab_pk THEN \(link).left_position "
                + "ELSE \(link).right_position END"
        case .reference, .inverseReference, .memory:
            return "\(aliases.element).\"\(relationship.inverse?.name ?? "")_position\""
        }
    }

    var linkRelationships: [RelationshipDescription] {
        model.entities.flatMap { entity in
            entity.relationships.filter {
                $0.entity == entity
                    && ($0.storage == .links(.left) || $0.storage == .links(.both))
            }
        }
    }

    /// The to-ones of a hierarchy that have an ordered inverse.
    static func listColumns(of root: EntityDescription) -> [RelationshipDescription] {
        columns(of: root).compactMap { property in
            property.relationship.flatMap { $0.inverse?.isOrdered == true ? $0 : nil }
        }
    }

    /// The searchable attributes of a hierarchy.
    static func searchColumns(of root: EntityDescription) -> [AttributeDescription] {
        columns(of: root).compactMap { property in
            property.attribute.flatMap { $0.search == nil ? nil : $0 }
        }
    }

    /// Returns the columns of a whole hierarchy.
    static func columns(of root: EntityDescription) -> [PropertyDescription] {
        root.hierarchy.flatMap { entity in
            entity.slots.filter { property in
                guard property.entity == entity else { return false }
                return switch property {
                case .attribute(let attribute): !attribute.isTransient
                case .relationship(let relationship): relationship.storage == .reference
                }
            }
        }
    }
}
