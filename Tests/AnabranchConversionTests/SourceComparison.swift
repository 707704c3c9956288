import Anabranch
import AnabranchSQLite
import Foundation
import Testing

/// Reads of a Core Data store with SQLite alone, by the plain rules of its names.
enum Source {
    /// The entity of a row: that of its number, or else the table's own.
    static func entity(_ number: Int64, in table: String, _ source: Connection) throws -> String {
        let rows = try source.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY")
        var names: [SQLiteValue: String] = [:]
        var parents: [SQLiteValue: SQLiteValue] = [:]
        for row in rows {
            if case .text(let name) = row[1] { names[row[0]] = name }
            parents[row[0]] = row[2]
        }
        var root = SQLiteValue.integer(number)
        while let parent = parents[root], parent != .integer(0) { root = parent }
        if let name = names[root], "Z" + name.uppercased() == table {
            return names[.integer(number)] ?? name
        }
        return try #require(names.values.first { "Z" + $0.uppercased() == table })
    }

    /// Tables of entities begin with a Z and a letter.
    static func isEntityTable(_ name: String) -> Bool {
        name.hasPrefix("Z") && !name.hasPrefix("Z_")
    }
}

/// Compares every object of a converted store with its row in the source.
struct SourceComparison {
    let source: Connection
    let uuid: String
    let coordinator: PersistentStoreCoordinator
    /// The URIs and properties of the report's doubts, whose values differ.
    let doubtful: Set<String>

    /// Compares all rows.
    ///
    /// - Returns: The number of columns that were compared.
    func compareAll(in context: ManagedObjectContext) throws -> Int {
        let tables = try source.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
            .compactMap { row -> String? in
                if case .text(let name) = row[0] { name } else { nil }
            }
        var compared = 0
        for table in tables where Source.isEntityTable(table) {
            let statement = try source.prepare("SELECT * FROM \(table)")
            while try statement.step() {
                var row: [String: SQLiteValue] = [:]
                for column in 0..<statement.columnCount {
                    row[statement.columnName(at: column) ?? ""] = statement.value(at: column)
                }
                guard case .integer(let key)? = row["Z_PK"],
                    case .integer(let number)? = row["Z_ENT"]
                else { continue }
                let name = try Source.entity(number, in: table, source)
                let object = try self.object(name, key, in: context)
                #expect(object.entity.name == name)
                compared += try compare(object, uri(name, key), row, in: context)
            }
        }
        return compared
    }

    /// The object that an old URI names.
    private func object(
        _ entity: String, _ key: Int64, in context: ManagedObjectContext
    ) throws -> ManagedObject {
        let uri = try #require(URL(string: uri(entity, key)))
        let id = try #require(try coordinator.managedObjectID(forURIRepresentation: uri))
        return try context.existingObject(with: id)
    }

    private func uri(_ entity: String, _ key: Int64) -> String {
        "x-coredata://\(uuid)/\(entity)/p\(key)"
    }

    private func compare(
        _ object: ManagedObject, _ uri: String, _ row: [String: SQLiteValue],
        in context: ManagedObjectContext
    ) throws -> Int {
        var compared = 0
        for property in object.entity.slots {
            guard let found = row["Z" + property.name.uppercased()],
                !doubtful.contains("\(uri) \(property.name)")
            else { continue }
            switch property {
            case .attribute(let attribute):
                guard !attribute.isTransient, !attribute.isDerived else { continue }
                let value = try object.value(forKey: attribute.name)
                #expect(value.isEqual(to: found), "\(object.objectID) \(attribute.name)")
            case .relationship(let relationship):
                guard !relationship.isToMany else { continue }
                let target = try object.object(forKey: relationship.name)
                guard case .integer(let key) = found else {
                    #expect(target == nil, "\(object.objectID) \(relationship.name)")
                    continue
                }
                let expected = try self.object(relationship.destination.name, key, in: context)
                #expect(target === expected, "\(object.objectID) \(relationship.name)")
            }
            compared += 1
        }
        return compared
    }
}

extension PropertyValue {
    /// True if Core Data stores this value as the column's value.
    fileprivate func isEqual(to column: SQLiteValue) -> Bool {
        switch (self, column) {
        case (.null, .null): true
        case (.bool(let flag), .integer(let number)): number == (flag ? 1 : 0)
        case (.integer(let number), .integer(let other)): number == other
        case (.double(let number), .real(let other)): number == other
        case (.double(let number), .integer(let other)): number == Double(other)
        case (.date(let number), .real(let other)): number == other
        case (.date(let number), .integer(let other)): number == Double(other)
        case (.decimal(let number), .real(let other)): Double("\(number)") == other
        case (.decimal(let number), .integer(let other)): "\(number)" == "\(other)"
        case (.decimal(let number), .text(let other)): number == ExactDecimal(other)
        case (.string(let text), .text(let other)): text == other
        case (.uri(let text), .text(let other)): text == other
        case (.data(let data), .blob(let other)): [UInt8](data) == other
        case (.uuid(let uuid), .blob(let other)):
            withUnsafeBytes(of: uuid.uuid) { Array($0) } == other
        default: false
        }
    }
}

extension ManagedObject {
    /// The objects at the other end of a relationship.
    func related(by relationship: RelationshipDescription) throws -> [ManagedObject] {
        relationship.isToMany
            ? Array(try objects(forKey: relationship.name))
            : [try object(forKey: relationship.name)].compactMap { $0 }
    }
}
