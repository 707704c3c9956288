import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore

/// Reads the links of one many-to-many relationship, in the order of their owners' lists.
final class JoinRows {
    private let join: JoinTable
    private let context: SourceContext
    private let statement: Statement
    private let ownerTable: Int
    private let otherTable: Int
    private let owners: Set<Int>
    private let others: Set<Int>
    private var isAtEnd = false

    /// Prepares the reading; `nil` if the source has no objects at one of the ends.
    init?(_ join: JoinTable, _ context: SourceContext) throws {
        let relationship = join.relationship
        guard let ownerTable = context.layout.table(of: relationship.entity),
            let otherTable = context.layout.table(of: relationship.destination)
        else { return nil }
        self.join = join
        self.context = context
        self.ownerTable = ownerTable
        self.otherTable = otherTable
        owners = Set(context.layout.hierarchy(of: relationship.entity))
        others = Set(context.layout.hierarchy(of: relationship.destination))
        let (owner, other) = (join.owner.quotedForSQL, join.other.quotedForSQL)
        let order = ([owner] + Self.order(join.order) + [other]).joined(separator: ", ")
        statement = try context.file.connection.prepare(
            """
            SELECT \(owner), \(other) FROM \(join.table.quotedName)
            WHERE \(owner) IS NOT NULL AND \(other) IS NOT NULL ORDER BY \(order)
            """)
    }

    /// Sorts by a column of a list's order; objects without a place go to the end.
    static func order(_ column: String?) -> [String] {
        guard let name = column?.quotedForSQL else { return [] }
        return ["\(name) IS NULL", name]
    }

    /// Reads the next links; `nil` after the last.
    func next() throws -> [SaveRequest.LinkChange]? {
        guard !isAtEnd else { return nil }
        var links: [SaveRequest.LinkChange] = []
        while links.count < PieceLimits.rowCount {
            guard try statement.step() else {
                isAtEnd = true
                break
            }
            let (owner, other) = (statement.int64(at: 0), statement.int64(at: 1))
            guard isThere(owner, ownerTable, owners), isThere(other, otherTable, others) else {
                report(owner, other)
                continue
            }
            links.append(
                SaveRequest.LinkChange(
                    relationship: join.relationship,
                    owner: context.id(ofKey: owner, inTable: ownerTable),
                    other: context.id(ofKey: other, inTable: otherTable), isAdded: true))
        }
        return links.isEmpty && isAtEnd ? nil : links
    }

    private func isThere(_ key: Int64, _ table: Int, _ allowed: Set<Int>) -> Bool {
        context.rows.entity(ofKey: key, inTable: table).map(allowed.contains) ?? false
    }

    private func report(_ owner: Int64, _ other: Int64) {
        let relationship = join.relationship
        let (left, right) = (
            context.doubts.uri(relationship.entity.name, owner),
            context.doubts.uri(relationship.destination.name, other)
        )
        context.doubts.add(
            entity: relationship.entity.name, property: relationship.name,
            found: "a link from \(left) to \(right), one of which is missing", stored: "no link")
    }
}
