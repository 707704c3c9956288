import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore

/// Reads the values of one to-one relationship from its column, and checks that the objects exist.
///
/// Core Data keeps a one-to-one on both sides, Anabranch on one. If the sides disagree, the object
/// at the other end decides which of several objects it belongs to. Both objects keep a to-one that
/// is its own inverse, and they must agree.
final class ReferenceReader {
    let relationship: RelationshipDescription
    private let entity: EntityDescription
    private let table: Int
    private let destinations: Set<Int>
    private let context: SourceContext
    /// The object that each object at the other end names, if both sides are to-one.
    private let claims: [Int64: Int64]?
    /// The objects that refer to objects at the other end, by the latter. With a history, which has
    /// another order, those with the smallest primary keys are known from the beginning.
    private var holders: [Int64: Int64] = [:]

    /// Prepares the reading of a relationship; `nil` if the source has no objects at its other end.
    init?(
        _ relationship: RelationshipDescription, of source: SourceLayout.SourceEntity,
        _ context: SourceContext
    ) throws {
        guard let table = context.layout.table(of: relationship.destination) else { return nil }
        self.relationship = relationship
        entity = source.entity
        self.table = table
        self.context = context
        destinations = Set(context.layout.hierarchy(of: relationship.destination))
        claims = try Self.claims(relationship, context)
        if claims != nil, context.history != nil {
            holders = try Self.firstHolders(relationship, source, context)
        }
    }

    private static func firstHolders(
        _ relationship: RelationshipDescription, _ source: SourceLayout.SourceEntity,
        _ context: SourceContext
    ) throws -> [Int64: Int64] {
        guard let column = source.columns[relationship.slot]?.quotedForSQL else { return [:] }
        let statement = try context.file.connection.prepare(
            """
            SELECT \(column), min(Z_PK) FROM \(context.layout.roots[source.table].table.quotedName)
            WHERE \(column) IS NOT NULL AND \(source.condition) GROUP BY \(column)
            """)
        var holders: [Int64: Int64] = [:]
        while try statement.step() { holders[statement.int64(at: 0)] = statement.int64(at: 1) }
        return holders
    }

    private static func claims(
        _ relationship: RelationshipDescription, _ context: SourceContext
    ) throws -> [Int64: Int64]? {
        guard let inverse = relationship.inverse, !inverse.isToMany,
            let source = context.layout[inverse.entity],
            let column = source.columns[inverse.slot]?.quotedForSQL
        else { return nil }
        let table = context.layout.roots[source.table].table.quotedName
        let statement = try context.file.connection.prepare(
            "SELECT Z_PK, \(column) FROM \(table) WHERE \(column) IS NOT NULL")
        var claims: [Int64: Int64] = [:]
        while try statement.step() { claims[statement.int64(at: 0)] = statement.int64(at: 1) }
        return claims
    }

    /// Reads the reference of a row as the local ID of its target.
    func value(of column: UnsafeColumn, key: Int64) -> PropertyValue {
        guard !column.isNull else {
            if !relationship.isOptional {
                report(key, "nothing", "nothing, though it is not optional")
            }
            return .null
        }
        let target = column.int64
        guard let found = context.rows.entity(ofKey: target, inTable: table) else {
            report(key, "the missing object \(uri(target))", "nothing")
            return .null
        }
        guard destinations.contains(found) else {
            let name = context.layout.entities[found].entity.name
            report(key, "the object \(uri(target)), which is a \(name)", "nothing")
            return .null
        }
        if let claims, !accepts(target, from: key, claims) { return .null }
        return .integer(context.id(ofKey: target, inTable: table))
    }

    /// Checks a reference against the other side of a one-to-one.
    private func accepts(_ target: Int64, from key: Int64, _ claims: [Int64: Int64]) -> Bool {
        let claim = claims[target]
        let holder = holders[target] ?? key
        if claim != key {
            let other = claim.map { "another object, p\($0)" } ?? "no object"
            let isLost = claim != nil || holder != key || relationship.isMutual
            report(
                key, "\(uri(target)), which refers back to \(other)",
                isLost ? "nothing" : "it, on both sides")
            guard !isLost else { return false }
        }
        holders[target] = holder
        return true
    }

    private func uri(_ key: Int64) -> String {
        context.doubts.uri(relationship.destination.name, key)
    }

    private func report(_ key: Int64, _ found: String, _ stored: String) {
        context.doubts.add(entity, key, relationship.name, found: found, stored: stored)
    }
}
