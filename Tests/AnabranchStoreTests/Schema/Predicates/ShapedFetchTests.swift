import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests of the shapes of fetches against the statements that are written for them.
struct ShapedFetchTests {
    @Test(arguments: TestLength.seeds(40))
    func `a shape has one SQL, and its bindings are those of the statement`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let graph = try RandomGraph.make(&generator)
        let thing = try #require(graph.model.entity(named: "Thing"))
        var writer = RandomPredicate(graph: graph)
        var (texts, shaped): ([FetchShape: String], Int) = ([:], 0)
        let database = try SampleDatabase(graph)
        for number in 0..<300 {
            let predicate = try writer.make(depth: number % 4 == 0 ? 2 : 0, &generator)
            guard let resolved = try? predicate.resolved(for: thing) else { continue }
            var query = FetchQuery(entity: thing)
            query.predicate = resolved
            if generator.oneIn(3) { query.limit = Int.random(in: 1...9, using: &generator) }
            if generator.oneIn(3) { query.sorts = [try FetchSort("s").resolved(for: thing)] }
            let selection: FetchStatement.Selection = generator.oneIn(2) ? .count : .identifiers
            guard let fetch = ShapedFetch(query, selecting: selection, store: SampleGraph.store)
            else { continue }
            let statement = try database.statement(
                "Thing", resolved, sorts: query.sorts, limit: query.limit, selecting: selection)
            #expect(fetch.bindings == statement.bindings, "\(predicate)")
            let known = texts.updateValue(statement.sql, forKey: fetch.shape)
            #expect(known == nil || known == statement.sql, "\(predicate)")
            shaped += 1
        }
        #expect(shaped > 50)
    }

    @Test(arguments: [
        ("age == 1", "age == 2"), ("name == 'a'", "name == 'b'"), ("boss == nil", "boss == nil"),
        ("NOT (age > 1 OR name ==[c] 'A')", "NOT (age > 5 OR name ==[c] 'É')"),
        ("ANY reports.age > 3", "ANY reports.age > 4"),
        (
            "SUBQUERY(reports, $r, $r.age > 3).@count > 2",
            "SUBQUERY(reports, $r, $r.age > 4).@count > 3"
        ),
    ])
    func `values make no difference to a shape`(one: String, other: String) throws {
        #expect(try Self.shape(one) == Self.shape(other))
        #expect(try Self.shape(one) != nil)
    }

    @Test(arguments: [
        ("age == 1", "age == nil"), ("age == 1", "age != 1"), ("age == 1", "age < 1"),
        ("age == 1", "height == 1"), ("age == 1", "boss.age == 1"), ("age < 1", "1 < boss.age"),
        ("name == 'a'", "name ==[c] 'a'"), ("name ==[c] 'a'", "name ==[cd] 'a'"),
        ("age < 1", "age < 1.5"), ("age == 1", "age == 1 AND age == 1"),
        ("age == 1 AND name == 'a'", "age == 1 OR name == 'a'"),
        ("age == 1 AND (name == 'a' AND age > 0)", "(age == 1 AND name == 'a') AND age > 0"),
        ("reports.@count > 2", "reports.@count > 0"),
        ("ANY reports.age > 3", "ANY reports.age >= 3"),
    ])
    func `whatever SQL depends on makes another shape`(one: String, other: String) throws {
        #expect(try Self.shape(one) != Self.shape(other))
    }

    @Test(arguments: [
        "age IN {1, 2}", "name CONTAINS 'a'", "name LIKE 'a*'", "name BEGINSWITH ''", "age + 1 > 2",
        "reports.@max.age > 2",
    ])
    func `a condition with SQL that depends on values has no shape`(format: String) throws {
        #expect(try Self.shape(format) == nil)
    }

    @Test func `limit, order and entities belong to a shape`() throws {
        var shapes: Set<FetchShape?> = [try Self.shape("age == 1")]
        for change: (inout FetchQuery) throws -> Void in [
            { $0.limit = 3 }, { $0.includesSubentities = false },
            { $0.sorts = [try FetchSort("age").resolved(for: $0.entity)] },
            { $0.sorts = [try FetchSort("age", ascending: false).resolved(for: $0.entity)] },
            {
                $0.sorts = [
                    try FetchSort("name", options: .caseInsensitive).resolved(for: $0.entity)
                ]
            },
        ] {
            #expect(shapes.insert(try Self.shape("age == 1", change)).inserted)
        }
        let limited = try Self.shape("age == 1") { $0.limit = 3 }
        #expect(try Self.shape("age == 1") { ($0.limit, $0.offset) = (5, 2) } == limited)
    }

    private static let model = Result {
        try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("age", .integer64)
                AttributeDeclaration("height", .integer64)
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("boss", to: "Person", inverse: "reports")
                RelationshipDeclaration("reports", toMany: "Person", inverse: "boss")
            }
        }
    }

    private static func shape(
        _ format: String, _ change: (inout FetchQuery) throws -> Void = { _ in }
    ) throws -> FetchShape? {
        let entity = try #require(try model.get().entity(named: "Person"))
        var query = FetchQuery(entity: entity)
        query.predicate = try FetchPredicate(format).resolved(for: entity)
        try change(&query)
        return ShapedFetch(query, selecting: .identifiers, store: nil)?.shape
    }
}
