import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Foundation

/// Writes the objects of one state of a store into plain tables.
struct TableWriter {
    private let reader: StoreReader
    private let replicas: Store
    private let connection: Connection
    private var tables = PlainNames(taken: [])

    /// The seconds from 1970-01-01 to 2001-01-01.
    private static let calendarBeginning = 978_307_200.0
    private static let ownersAtOnce = 1000

    init(reader: StoreReader, replicas: Store, _ connection: Connection) {
        self.reader = reader
        self.replicas = replicas
        self.connection = connection
    }

    /// Writes every table.
    ///
    /// - Returns: The number of objects.
    mutating func writeAll() throws -> Int {
        var count = 0
        for entity in reader.schema.model.entities where !entity.isAbstract {
            count += try write(entity)
        }
        for entity in reader.schema.model.entities {
            for relationship in entity.relationships
            where relationship.entity == entity && relationship.hasTable {
                try write(relationship)
            }
        }
        return count
    }

    private mutating func write(_ entity: EntityDescription) throws -> Int {
        let properties = entity.slots.filter(\.hasPlainColumn)
        var names = PlainNames(taken: ["id"])
        let columns = properties.map { "\(names.take($0.name).quotedForSQL) \($0.plainType)" }
        let table = tables.take(entity.name).quotedForSQL
        try connection.execute(
            "CREATE TABLE \(table) ("
                + (["id TEXT PRIMARY KEY"] + columns).joined(separator: ", ")
                + ") WITHOUT ROWID")
        let marks = Array(repeating: "?", count: properties.count + 1).joined(separator: ", ")
        let insert = try connection.prepare("INSERT INTO \(table) VALUES (\(marks))")
        var query = FetchQuery(entity: entity)
        query.includesSubentities = false
        var count = 0
        try reader.rows(query) { row in
            let slots = row.slots
            try insert.bind(try name(row.id), at: 1)
            for (index, property) in properties.enumerated() {
                try insert.bind(try value(slots[property.slot], of: property), at: index + 2)
            }
            try insert.run()
            count += 1
        }
        return count
    }

    private mutating func write(_ relationship: RelationshipDescription) throws {
        let table = tables.take("\(relationship.entity.name)_\(relationship.name)").quotedForSQL
        let position = relationship.isOrdered ? ", position INTEGER" : ""
        try connection.execute("CREATE TABLE \(table) (owner TEXT, member TEXT\(position))")
        let insert = try connection.prepare(
            "INSERT INTO \(table) VALUES (?, ?\(relationship.isOrdered ? ", ?" : ""))")
        let owners = try reader.identifiers(FetchQuery(entity: relationship.entity))
        for start in stride(from: 0, to: owners.count, by: Self.ownersAtOnce) {
            let some = Array(owners[start..<min(start + Self.ownersAtOnce, owners.count)])
            var present: LocalID?
            var place: Int64 = 0
            for related in try reader.related(by: relationship, of: some) {
                place = related.owner == present ? place + 1 : 0
                present = related.owner
                try insert.bind(try name(related.owner), try name(related.id))
                if relationship.isOrdered { try insert.bind(place, at: 3) }
                try insert.run()
            }
        }
    }

    private func name(_ id: LocalID) throws -> String {
        try replicas.recordID(of: id)?.description ?? "\(id)"
    }

    private func value(_ value: PropertyValue, of property: PropertyDescription) throws
        -> SQLiteValue
    {
        switch value {
        case .null, .reference, .group, .unknown: return .null
        case .bool(let flag): return .integer(flag ? 1 : 0)
        case .integer(let number):
            guard property.relationship == nil else { return .text(try name(number)) }
            return .integer(number)
        case .double(let number): return number.isNaN ? .text("NaN") : .real(number)
        case .decimal(let number): return .text("\(number)")
        case .string(let text), .uri(let text): return .text(text)
        case .date(let seconds): return .real(seconds + Self.calendarBeginning)
        case .data(let data): return .blob([UInt8](data))
        case .uuid(let uuid): return .text(uuid.uuidString)
        }
    }
}

extension PropertyDescription {
    /// True if the property has a column in a plain table.
    fileprivate var hasPlainColumn: Bool {
        switch self {
        case .attribute(let attribute): !attribute.isTransient
        case .relationship(let relationship): relationship.storage == .reference
        }
    }

    /// The type of the property's column.
    fileprivate var plainType: String {
        guard let attribute else { return "TEXT" }
        return switch attribute.type {
        case .integer16, .integer32, .integer64, .boolean: "INTEGER"
        case .double, .float, .date: "REAL"
        case .decimal, .string, .uri, .uuid: "TEXT"
        case .binary, .transformable, .undefined: "BLOB"
        }
    }
}

extension RelationshipDescription {
    /// True if the relationship has a plain table: a list, or the stored side of links.
    fileprivate var hasTable: Bool {
        isToMany && !isTransient && (isOrdered || isStoredAsLinks)
    }
}

/// Names that differ for SQLite, which ignores the case of ASCII letters.
struct PlainNames {
    private var taken: Set<String>

    init(taken: Set<String>) { self.taken = taken }

    /// The name itself, or the name with the smallest number that makes it another one.
    mutating func take(_ name: String) -> String {
        var candidate = name
        var number = 2
        while !taken.insert(candidate.lowercased()).inserted {
            candidate = "\(name)_\(number)"
            number += 1
        }
        return candidate
    }
}
