import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchStore
import Foundation
import TestSupport
import Testing

struct FetchStatementTests {
    private let database: SampleDatabase
    private let person: EntityDescription

    init() throws {
        database = try SampleDatabase(PeopleExample.graph())
        person = try #require(database.graph.model.entity(named: "Person"))
    }

    private func resolved(
        _ format: String, _ arguments: (any PredicateArgument)?...
    ) throws -> ResolvedPredicate {
        try FetchPredicate(format: format, arguments: arguments).resolved(for: person)
    }

    @Test func `every example of the language has its answer in SQL`() throws {
        for question in PeopleExample.questions(database.graph) {
            guard let answer = question.answer else { continue }
            let predicate = try question.predicate()
                .resolved(for: person, variables: question.variables)
            let found = try database.identifiers("Person", predicate)
            #expect(found.count == Set(found).count, "\(question.format)")
            #expect(Set(found) == answer, "\(question.number): \(question.format)")
            let negated = try database.identifiers("Person", .negation(predicate))
            #expect(
                Set(negated) == Set([1, 2, 3, 4]).subtracting(answer),
                "NOT \(question.number): \(question.format)")
        }
    }

    @Test func `a fetch of IDs by a range reads nothing but the index`() throws {
        let statement = try database.statement(
            "Person", resolved("(age >= %d) AND (age <= %d)", 100, 200))
        #expect(
            statement.sql
                == "SELECT t0.ab_pk FROM \"Person\" AS t0 "
                + "WHERE ((t0.\"age\" >= ?) AND (t0.\"age\" <= ?))")
        #expect(statement.bindings == [.integer(100), .integer(200)])
        let plan = try database.plan(statement)
        #expect(plan.contains("COVERING INDEX Person_byAge (age>? AND age<?)"), "\(plan)")
    }

    @Test func `prefixes and to-one objects are found by an index`() throws {
        let prefix = try database.plan(
            database.statement("Person", resolved("name BEGINSWITH 'Bj'")))
        #expect(prefix.contains("INDEX Person_byName (name>? AND name<?)"), "\(prefix)")
        let boss = try database.plan(
            database.statement(
                "Person", resolved("boss == %@", database.graph.subject(1))))
        #expect(boss.contains("INDEX Person_boss (boss=?)"), "\(boss)")
        let cars = try database.plan(
            database.statement("Person", resolved("ANY cars.maker == 'Fiat'")))
        #expect(cars.contains("INDEX Car_owner (owner=?)"), "\(cars)")
    }

    @Test(.long) func `a hundred thousand IDs are one binding`() throws {
        let objects = (1...100_000 as ClosedRange<Int64>).map {
            PredicateConstant.object(
                PredicateObjectReference(record: $0 * 2, store: SampleGraph.store))
        }
        let statement = try database.statement("Person", resolved("SELF IN %@", objects))
        #expect(statement.bindings.count == 1)
        #expect(try database.identifiers("Person", resolved("SELF IN %@", objects)) == [2, 4])
        #expect(try database.identifiers("Person", resolved("boss IN %@", objects)) == [])
        let strangers = try resolved("NOT (SELF IN %@)", objects)
        #expect(try database.identifiers("Person", strangers) == [1, 3])
    }

    @Test(.long) func `long lists of every type find what short ones do`() throws {
        let names = (0..<50_000).map { "n\($0)\"\\\u{1}é" } + ["Anna", "bob"]
        #expect(try database.identifiers("Person", resolved("name IN %@", names)) == [1, 3])
        #expect(
            try database.identifiers("Person", resolved("name IN[c] %@", names + ["BJÖRN"]))
                == [1, 2, 3])
        let withNUL = (0..<100).map { "n\($0)\u{0}" } + ["Anna"]
        #expect(try database.identifiers("Person", resolved("name IN %@", withNUL)) == [1])
        let scores = (0..<1_000).map { Double($0) + 0.5 }
        #expect(try database.identifiers("Person", resolved("score IN %@", scores)) == [1])
        let prices = (0..<1_000).map { ExactDecimal("\($0).99") ?? .zero }
        #expect(try database.identifiers("Person", resolved("price IN %@", prices)) == [1])
        let ages = (0..<40_000).map { $0 * 15 }
        #expect(
            try database.identifiers("Person", resolved("age IN %@", ages)).sorted() == [1, 3, 4])
        let tooMany = (0..<40_000).map { Double($0) }
        let error = #expect(throws: FetchPredicateError.self) {
            try database.statement("Person", resolved("score IN %@", tooMany))
        }
        #expect(error?.code == .tooManyValues)
    }

    @Test func `a chain of thousands of conditions is no deep tree`() throws {
        let format = (0..<5_000).map { "age == \($0)" }.joined(separator: " OR ")
        #expect(try database.identifiers("Person", resolved(format)).sorted() == [1, 2, 3, 4])
        let all = (0..<5_000).map { "age != \($0 + 100)" }.joined(separator: " AND ")
        #expect(try database.identifiers("Person", resolved(all)).sorted() == [1, 2, 3, 4])
    }

    @Test func `sorts go through to-one relationships and end with the ID`() throws {
        func sorted(_ sorts: FetchSort...) throws -> [Int64] {
            let sorts = try sorts.map { try $0.resolved(for: person) }
            return try database.identifiers("Person", sorts: sorts)
        }
        #expect(try sorted(FetchSort("age")) == [4, 2, 1, 3])
        #expect(try sorted(FetchSort("age", ascending: false)) == [3, 1, 2, 4])
        #expect(try sorted(FetchSort("boss.name"), FetchSort("age")) == [4, 1, 2, 3])
        #expect(try sorted(FetchSort("boss.name", ascending: false)) == [2, 3, 1, 4])
        #expect(try sorted(FetchSort("name")) == [4, 1, 2, 3])
        #expect(try sorted(FetchSort("name", options: .caseInsensitive)) == [4, 1, 2, 3])
        #expect(try sorted(FetchSort("cars.@count", ascending: false)) == [1, 3, 2, 4])
        #expect(try sorted(FetchSort("SELF", ascending: false)) == [4, 3, 2, 1])
    }

    @Test func `windows are cut in a fixed order, and counted`() throws {
        #expect(try database.identifiers("Person", limit: 2, offset: 1) == [2, 3])
        #expect(try database.identifiers("Person", offset: 3) == [4])
        #expect(try database.identifiers("Person", limit: 0) == [])
        for (limit, offset, count) in [(nil, 0, 3), (2, 0, 2), (5, 2, 1), (nil, 9, 0)] {
            let statement = try database.statement(
                "Person", resolved("name != nil"), sorts: [FetchSort("age").resolved(for: person)],
                limit: limit, offset: offset, selecting: .count)
            #expect(try database.run(statement) == [[.integer(Int64(count))]])
        }
    }

    @Test func `rows are what is asked for`() throws {
        let statement = try database.statement(
            "Person", resolved("age == 17"), selecting: .rows(["t0.ab_pk", "t0.\"name\""]))
        #expect(try database.run(statement) == [[.integer(2), .text("Björn")]])
    }
}
