import AnabranchModel

/// The table of a many-to-many relationship.
///
/// Its name is `Z_`, a number and the name of one of the two relationships. A column `Z_2BOOKS` has
/// primary keys of the objects to which `books` refers; 2 is the number of that entity. No rule
/// says which of the two relationships names the table, so the table is found by its columns.
struct JoinTable {
    /// The stored side of the relationship.
    let relationship: RelationshipDescription
    let table: SourceTable
    /// The column with the objects that have the relationship.
    let owner: String
    /// The column with the objects to which the relationship refers.
    let other: String
    /// The column with the order of the relationship's objects; `nil` without an order.
    let order: String?
    /// The column with the order of the inverse's objects.
    let inverseOrder: String?

    static func all(in layout: SourceLayout, _ doubts: DoubtList) -> [JoinTable] {
        var free = layout.tables.values.filter { $0.isJoinTable }.sorted { $0.name < $1.name }
        var found: [JoinTable] = []
        for source in layout.entities {
            for relationship in source.entity.relationships
            where relationship.entity == source.entity && relationship.isStoredAsLinks {
                guard let match = best(for: relationship, among: free, in: layout) else {
                    doubts.add(
                        entity: source.entity.name, property: relationship.name,
                        found: "no table of links", stored: "no links")
                    continue
                }
                free.removeAll { $0.name == match.table.name }
                found.append(match)
            }
        }
        return found
    }

    private static func best(
        for relationship: RelationshipDescription, among tables: [SourceTable],
        in layout: SourceLayout
    ) -> JoinTable? {
        var best: (score: Int, join: JoinTable)?
        for table in tables {
            guard let (score, join) = match(relationship, table, in: layout),
                score > best?.score ?? 0
            else { continue }
            best = (score, join)
        }
        return best?.join
    }

    private static func match(
        _ relationship: RelationshipDescription, _ table: SourceTable, in layout: SourceLayout
    ) -> (Int, JoinTable)? {
        let columns = table.columns.filter { !$0.uppercased().hasPrefix(orderPrefix) }
        guard columns.count == 2 else { return nil }
        var best: (Int, JoinTable)?
        for (owner, other) in [(columns[0], columns[1]), (columns[1], columns[0])] {
            guard let own = score(other, of: relationship, in: layout),
                let inverse = inverseScore(owner, of: relationship, in: layout)
            else { continue }
            let isNamed = table.name.uppercased().hasSuffix(relationship.name.uppercased())
            let score = own + inverse + (isNamed ? 1 : 0)
            guard score > best?.0 ?? 0 else { continue }
            best = (
                score,
                JoinTable(
                    relationship: relationship, table: table, owner: owner, other: other,
                    order: relationship.isOrdered ? orderColumn(beside: other, table) : nil,
                    inverseOrder: relationship.inverse?.isOrdered == true
                        ? orderColumn(beside: owner, table) : nil)
            )
        }
        return best
    }

    private static let orderPrefix = "Z_FOK_"

    /// The order of `Z_2BOOKS` is in `Z_FOK_2BOOKS`.
    private static func orderColumn(beside column: String, _ table: SourceTable) -> String? {
        let name = orderPrefix + column.uppercased().dropFirst(2)
        return table.columns.first { $0.uppercased() == name }
    }

    /// The score of a column as that of a relationship; `nil` if its name is another.
    private static func score(
        _ column: String, of relationship: RelationshipDescription, in layout: SourceLayout
    ) -> Int? {
        let name = column.uppercased()
        guard name.hasPrefix("Z_") else { return nil }
        let digits = name.dropFirst(2).prefix { $0.isASCII && $0.isNumber }
        let rest = String(name.dropFirst(2 + digits.count))
        let stem = relationship.name.uppercased()
        guard !digits.isEmpty, rest.isNumbered(stem) else { return nil }
        let number = layout[relationship.destination]?.number
        return 2 + (number == Int64(digits) ? 4 : 0) + (rest == stem ? 1 : 0)
    }

    /// The score of the column of the objects that have the relationship.
    ///
    /// A relationship that is its own inverse has a column `REFLEXIVE`, and one without an inverse
    /// a column of any name.
    private static func inverseScore(
        _ column: String, of relationship: RelationshipDescription, in layout: SourceLayout
    ) -> Int? {
        if column.uppercased() == "REFLEXIVE" {
            return relationship.inverse == relationship ? 8 : nil
        }
        guard let inverse = relationship.inverse, inverse != relationship else {
            return relationship.inverse == nil ? 1 : nil
        }
        return score(column, of: inverse, in: layout)
    }
}

extension SourceTable {
    fileprivate var isJoinTable: Bool {
        let name = name.uppercased()
        guard name.hasPrefix("Z_"), let digit = name.utf8.dropFirst(2).first else { return false }
        return (0x30...0x39).contains(digit)
    }
}

extension RelationshipDescription {
    /// True for the side of a many-to-many relationship that is stored.
    var isStoredAsLinks: Bool {
        switch storage {
        case .links(.left), .links(.both): true
        default: false
        }
    }
}
