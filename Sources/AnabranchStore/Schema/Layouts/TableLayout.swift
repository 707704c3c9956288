package import AnabranchModel
import AnabranchReplication

/// The table of one root entity and all its sub-entities.
package final class TableLayout: Sendable {
    /// A stored property: an attribute, or the stored side of a to-one relationship.
    ///
    /// This is a class because loops over rows pass columns on for every value.
    package final class Column: Sendable {
        package let property: PropertyDescription
        package let kind: ColumnKind
        /// The column's name, quoted for SQL.
        package let name: String
        /// The column with the row's position in a list, quoted for SQL; `nil` unless this is a
        /// list reference.
        let position: String?
        /// The property's number in `ab_writes`. Numbers count the properties of a table in the
        /// order in which the file got them. The members of an attribute group share one number.
        package let number: Int
        package let slot: Int
        /// One name, or two for a list reference.
        let names: [String]

        fileprivate init(
            property: PropertyDescription, kind: ColumnKind, name: String, position: String?,
            number: Int
        ) {
            self.property = property
            self.kind = kind
            self.name = name
            self.position = position
            self.number = number
            slot = property.slot
            names = position.map { [name, $0] } ?? [name]
        }
    }

    package let root: EntityDescription
    /// The table's name, quoted for SQL.
    package let name: String
    package let hasDiscriminator: Bool
    package let columns: [Column]
    let properties: [Property]
    /// References with a target that a view rule may hide.
    let viewRuleColumns: [ViewRuleColumn]
    /// The properties that a migration added without writing the rows.
    let added: AddedProperties
    /// The columns of properties that a migration dropped without writing the rows.
    let dropped: [DroppedColumn]
    let plainName: String
    /// False if the records are kept in this store only.
    var isSynced: Bool { root.isSynced }

    init(root: EntityDescription, plainName: String, numbers: SchemaNumbers) {
        self.root = root
        self.plainName = plainName
        name = SQL.quoted(plainName)
        hasDiscriminator = root.hierarchy.count > 1
        let columns = Self.columns(of: root, numbers: numbers)
        self.columns = columns
        properties = Self.properties(of: columns)
        let added = numbers.additions(to: root)
        self.added = added
        dropped = numbers.droppedColumns(of: root)
        viewRuleColumns = columns.compactMap {
            ViewRuleColumn($0, root: root, table: SQL.quoted(plainName), added: added)
        }
    }

    private static func columns(of root: EntityDescription, numbers: SchemaNumbers) -> [Column] {
        var names = UniqueNames(taken: ["ab_pk", "ab_entity", "ab_version", "ab_writes"])
        let stored = storedProperties(of: root).map { ($0, names.take($0.name)) }
        return stored.map { property, name in
            Column(
                property: property,
                kind: property.attribute.map { ColumnKind($0.type) } ?? .reference,
                name: SQL.quoted(name),
                position: property.relationship?.isListEntry == true
                    ? SQL.quoted(names.take("\(name)_position")) : nil,
                number: numbers.number(of: property))
        }
    }

    /// The stored properties of a whole hierarchy: attributes first, then foreign keys, each listed
    /// with the entity that declares it.
    static func storedProperties(of root: EntityDescription) -> [PropertyDescription] {
        let all = root.hierarchy.flatMap { entity in
            entity.slots.filter { $0.entity == entity && $0.isStoredInColumn }
        }
        return all.filter { $0.attribute != nil } + all.filter { $0.relationship != nil }
    }

    /// Numbers the SQL parameters of the properties' columns.
    ///
    /// - Parameter first: The number of the first parameter.
    /// - Returns: The number of each property's first parameter, and as the last element the number
    ///   after all parameters.
    static func parameters(of columns: [Column], from first: Int) -> [Int] {
        columns.reduce(into: [first]) { $0.append(($0.last ?? first) + $1.names.count) }
    }

    /// The columns that objects of one entity have, in slot order.
    func columns(of entity: EntityDescription) -> [Column] {
        columns.filter { entity.isKind(of: $0.property.entity) }.sorted { $0.slot < $1.slot }
    }
}

extension PropertyDescription {
    /// True if the property has a column of its own in its entity's table.
    package var isStoredInColumn: Bool {
        switch self {
        case .attribute(let attribute): attribute.isStored
        case .relationship(let relationship): relationship.storage == .reference
        }
    }
}

/// Generates names that are unique under SQLite's case-insensitive comparison.
struct UniqueNames {
    private var taken: Set<String>

    init(taken: some Sequence<String>) { self.taken = Set(taken.map(Self.folded)) }

    /// The name itself if it is free, otherwise the name with the smallest suffix that makes it
    /// unique.
    mutating func take(_ name: String) -> String {
        var candidate = name
        var suffix = 2
        while !taken.insert(Self.folded(candidate)).inserted {
            candidate = "\(name)_\(suffix)"
            suffix += 1
        }
        return candidate
    }

    /// Folds the case of ASCII letters only, as SQLite does. Folding more would equate names that
    /// SQLite distinguishes.
    private static func folded(_ name: String) -> String {
        String(
            decoding: name.utf8.map {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0
            }, as: UTF8.self)
    }
}
