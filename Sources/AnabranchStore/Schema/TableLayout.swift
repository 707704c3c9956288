package import AnabranchModel
import AnabranchReplication

/// The table of one root entity and everything below it.
package final class TableLayout: Sendable {
    /// A stored property: an attribute, or the stored side of a to-one.
    ///
    /// A class, because loops over rows hand columns on for every value.
    package final class Column: Sendable {
        package let property: PropertyDescription
        package let kind: ColumnKind
        /// Quoted for SQL.
        package let name: String
        /// Of a reference into a list: the column of the row's position there, quoted for SQL.
        let position: String?
        /// In `ab_writes`: the property's number in its table, in the order of their coming. The
        /// members of a group have one together.
        package let number: Int
        package let slot: Int
        /// One, or two of a reference into a list.
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
    /// Quoted for SQL.
    package let name: String
    package let hasDiscriminator: Bool
    package let columns: [Column]
    let properties: [Property]
    /// References of which a view rule may hide the target.
    let ruledColumns: [RuledColumn]
    let plainName: String

    init(root: EntityDescription, plainName: String, numbers: [WireProperty: Int]) {
        self.root = root
        self.plainName = plainName
        name = SQL.quoted(plainName)
        hasDiscriminator = root.hierarchy.count > 1
        let columns = Self.columns(of: root, numbers: numbers)
        self.columns = columns
        properties = Self.properties(of: columns)
        ruledColumns = columns.compactMap {
            RuledColumn($0, root: root, table: SQL.quoted(plainName))
        }
    }

    private static func columns(
        of root: EntityDescription, numbers: [WireProperty: Int]
    ) -> [Column] {
        var names = NameTaker(taken: ["ab_pk", "ab_entity", "ab_version", "ab_writes"])
        let stored = storedProperties(of: root).map { ($0, names.take($0.name)) }
        return stored.map { property, name in
            Column(
                property: property, kind: kind(of: property), name: SQL.quoted(name),
                position: property.relationship?.isListEntry == true
                    ? SQL.quoted(names.take("\(name)_position")) : nil,
                number: numbers[property.wireProperty] ?? 0)
        }
    }

    /// Of a whole hierarchy: attributes first, then foreign keys, each where it is declared.
    static func storedProperties(of root: EntityDescription) -> [PropertyDescription] {
        let all = root.hierarchy.flatMap { entity in
            entity.slots.filter { $0.entity == entity && $0.isStoredInColumn }
        }
        return all.filter { $0.attribute != nil } + all.filter { $0.relationship != nil }
    }

    private static func kind(of property: PropertyDescription) -> ColumnKind {
        property.attribute.map { ColumnKind($0.type) } ?? .reference
    }

    /// The parameter at which the SQL columns of each property begin, and at the end the one behind
    /// all.
    static func parameters(of columns: [Column], from first: Int) -> [Int] {
        columns.reduce(into: [first]) { $0.append(($0.last ?? first) + $1.names.count) }
    }

    /// The columns that objects of one entity have, in slot order.
    func columns(of entity: EntityDescription) -> [Column] {
        columns.filter { entity.isKind(of: $0.property.entity) }.sorted { $0.slot < $1.slot }
    }
}

extension PropertyDescription {
    /// Whether the property has a column of its own in its entity's table.
    package var isStoredInColumn: Bool {
        switch self {
        case .attribute(let attribute): attribute.isStored
        case .relationship(let relationship): relationship.storage == .reference
        }
    }
}

/// Gives names that differ by more than case, as SQLite compares them.
struct NameTaker {
    private var taken: Set<String>

    init(taken: some Sequence<String>) { self.taken = Set(taken.map(Self.folded)) }

    /// The name itself, or with the least suffix that makes it new.
    mutating func take(_ name: String) -> String {
        var candidate = name
        var suffix = 2
        while !taken.insert(Self.folded(candidate)).inserted {
            candidate = "\(name)_\(suffix)"
            suffix += 1
        }
        return candidate
    }

    /// SQLite folds ASCII only; more would merge what it tells apart.
    private static func folded(_ name: String) -> String {
        String(
            decoding: name.utf8.map {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0
            }, as: UTF8.self)
    }
}

package enum SQL {
    /// An identifier as SQL text.
    package static func quoted(_ identifier: String) -> String {
        "\""
            + identifier.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"") + "\""
    }
}
