import Anabranch
import AnabranchReplication
import Foundation
import Testing

/// Tests of the forms of a request: every way to write a predicate is accepted wherever one is.
@Suite struct `Forms of requests` {
    @Test func `a fetch request takes the three kinds of predicates, with sorts`() throws {
        let sorts = [FetchSort("firstName"), FetchSort("age", ascending: false)]
        let requests = [
            try FetchRequest<Person>(
                where: FetchPredicate("age > 3"), sortedBy: \.firstName, .reverse(\.age)),
            try FetchRequest<Person>(where: \.age > 3, sortedBy: \.firstName, .reverse(\.age)),
            try FetchRequest<Person>(
                where: #Predicate { $0.age > 3 }, sortedBy: \.firstName, .reverse(\.age)),
        ]
        for request in requests {
            #expect(request.predicate?.predicateFormat == "age > 3")
            #expect(request.sorts == sorts)
        }
        let direct = FetchRequest<Person>.self
        #expect(try direct.init(where: FetchPredicate("age > %d", 3)).sorts == [])
    }

    @Test func `a request for rows takes the three kinds of predicates`() throws {
        let columns: [FetchColumn] = [.property("firstName"), .property("boss.age", as: "older")]
        let requests = [
            try RowRequest<Person>(
                [.property(\.firstName), .property(\.boss?.age, as: "older")],
                where: \.age > 3, sortedBy: \.firstName),
            try RowRequest<Person>(
                [.property(\.firstName), .property(\.boss?.age, as: "older")],
                where: #Predicate { $0.age > 3 }, sortedBy: \.firstName),
            try RowRequest<Person>(
                ["firstName", .property(\.boss?.age, as: "older")],
                where: try FetchPredicate("age > 3"), sortedBy: \.firstName),
            try RowRequest<Person>(columns, where: \.age > 3, sortedBy: \.firstName),
            try RowRequest<Person>(
                columns, where: #Predicate { $0.age > 3 }, sortedBy: \.firstName),
            try RowRequest<Person>(
                columns, where: FetchPredicate("age > 3"), sortedBy: \.firstName),
        ]
        for request in requests {
            #expect(request.propertiesToFetch == columns)
            #expect(request.predicate?.predicateFormat == "age > 3")
            #expect(request.sorts == [FetchSort("firstName")])
        }
    }

    @Test func `columns by key paths are those by names`() throws {
        let twice = try FetchColumn(format: "age * 2", as: "twice")
        let request = try RowRequest<Person>([
            .property(\.boss?.firstName, as: "boss"), .count(), .count(\.salary),
            .count(\.firstName, distinct: true, as: "names"), .sum(\.age), .average(\.age),
            .minimum(\.age), .maximum(\.age, as: "oldest"), .relevance(),
            .snippet(\.firstName, before: "<", after: ">"), "lastName", .column(twice),
        ])
        #expect(
            request.propertiesToFetch == [
                .property("boss.firstName", as: "boss"), .count(), .count("salary"),
                .count("firstName", distinct: true, as: "names"), .sum("age"), .average("age"),
                .minimum("age"), .maximum("age", as: "oldest"), .relevance(),
                .snippet("firstName", before: "<", after: ">"), "lastName", twice,
            ])
        #expect(try RowRequest<Person>([]).propertiesToFetch == [])
        let error = #expect(throws: FetchPredicateError.self) {
            try RowRequest<Person>([.sum(\.calls)])
        }
        #expect(error?.code == .notAProperty)
    }

    @Test func `objects at hand are filtered by the three kinds of predicates`() throws {
        try Graph().inContext { context throws in
            let ada = try context.person("ada", age: 40)
            let people = [ada, try context.person("ben", age: 20)]
            #expect(try people.filtered(using: FetchPredicate("age > 30")) == [ada])
            #expect(try people.filtered(using: \.age > 30) == [ada])
            #expect(try people.filtered(using: #Predicate { $0.age > 30 }) == [ada])
            let grown = #Predicate<Person> { $0.age > 30 && $0.boss == nil }
            #expect(try people.filtered(using: grown) == [ada])
            let error = #expect(throws: FetchPredicateError.self) {
                try people.filtered(using: #Predicate { $0.calls.count > 3 })
            }
            #expect(error?.code == .notAProperty)
        }
    }

    @Test func `relationships to prefetch are given by key paths`() throws {
        var request = FetchRequest<Person>()
        try request.prefetch(\.reports, \.boss?.passport)
        try request.prefetch(\.reports, then: \.passport, \.groups)
        try request.prefetch(\.boss?.reports, then: \.groups, then: \.members)
        let names = [
            "reports", "boss.passport", "reports.passport", "reports.groups",
            "boss.reports.groups.members",
        ]
        #expect(request.relationshipKeyPathsForPrefetching == names)
        #expect(request.relationshipKeyPathsForPrefetching == names)
        request.relationshipKeyPathsForPrefetching = ["reports"]
        #expect(request.relationshipKeyPathsForPrefetching == ["reports"])
        let error = #expect(throws: FetchPredicateError.self) {
            try request.prefetch(\.groups, \.calls)
        }
        #expect(error?.code == .notAProperty)
        #expect(request.relationshipKeyPathsForPrefetching == ["reports"])
        try request.prefetch(\.firstName)
        #expect(throws: PropertyError.self) {
            try Graph().inContext { context throws in _ = try context.fetch(request) }
        }
    }

    @MainActor @Test func `a live value is of a key path`() async throws {
        let graph = try Graph()
        let context = graph.container.viewContext
        let ada = try context.person("ada", age: 40)
        let request = try FetchRequest<Person>(where: \.age >= 25)
        var total = context.values(of: .sum(\.age), over: request).makeAsyncIterator()
        #expect(try await total.next() == .integer(40))
        ada.age = 41
        context.processPendingChanges()
        #expect(try await total.next() == .integer(41))
        var refused = context.values(of: .sum(\.calls), over: request).makeAsyncIterator()
        await #expect(throws: FetchPredicateError.self) { try await refused.next() }
    }
}
