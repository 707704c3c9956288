import Anabranch
import AnabranchReplication
import Foundation
import Testing

/// Tests of requests for values: columns, types and states.
@Suite struct `Row fetches` {
    /// Saves ada, 40, at Alpha, with the reports ben, 20, at Alpha, and cy, 30, at Beta; and dan,
    /// 50, without a company. Salaries are 1.5, 2.5, none and 4.
    static func company(_ body: (ManagedObjectContext) throws -> Void) throws {
        try Graph().inContext { context throws in
            let (alpha, beta) = (try context.company("Alpha"), try context.company("Beta"))
            let ada = try context.person("ada", age: 40)
            let ben = try context.person("ben", age: 20)
            let cy = try context.person("cy", age: 30)
            let dan = try context.person("dan", age: 50)
            (ben.boss, cy.boss) = (ada, ada)
            (ada.company, ben.company, cy.company) = (alpha, alpha, beta)
            (ada.salary, ben.salary, dan.salary) = (1.5, 2.5, 4)
            try context.save()
            try body(context)
        }
    }

    private func rows(
        _ columns: [FetchColumn], _ context: ManagedObjectContext,
        _ change: (inout RowRequest<Person>) throws -> Void = { _ in }
    ) throws -> [String] {
        var request = RowRequest<Person>()
        request.propertiesToFetch = columns
        request.sorts = [FetchSort("age")]
        try change(&request)
        return try context.fetch(request).map(\.plain)
    }

    @Test func `attributes, related ones and expressions are columns`() throws {
        try Self.company { context throws in
            #expect(
                try rows(["firstName", "boss.firstName"], context) == [
                    "firstName: ben, boss.firstName: ada", "firstName: cy, boss.firstName: ada",
                    "firstName: ada, boss.firstName: null", "firstName: dan, boss.firstName: null",
                ])
            let twice = try FetchColumn(format: "age * %d", 2, as: "twice")
            #expect(
                try rows([twice], context) { $0.fetchLimit = 2 } == ["twice: 40", "twice: 60"])
            let reports = FetchColumn.property("reports.@count", as: "reports")
            #expect(
                try rows([reports], context) {
                    $0.predicate = try FetchPredicate("age >= $LEAST")
                    $0.variables = ["LEAST": 40]
                    $0.fetchOffset = 1
                } == ["reports: 0"])
        }
    }

    @Test func `without columns, all attributes are fetched that the store has`() throws {
        try Self.company { context throws in
            let row = try #require(try context.fetch(RowRequest<Person>()).first)
            #expect(row.names == ["age", "firstName", "lastName", "salary"])
        }
    }

    @Test func `key paths make the same request`() throws {
        try Self.company { context throws in
            let request = try RowRequest<Person>(
                [.property(\Person.firstName), .property(\Person.boss?.age, as: "older")],
                where: \.age < 40, sortedBy: .reverse(\.age))
            #expect(
                try context.fetch(request).map(\.plain) == [
                    "firstName: cy, older: 40", "firstName: ben, older: 40",
                ])
            var grouped = try RowRequest<Person>([
                .property(\Person.boss?.firstName, as: "boss"), .count(), .sum(\Person.age),
                .average(\Person.age), .minimum(\Person.age), .maximum(\Person.age),
                .count(\Person.salary),
            ])
            try grouped.group(by: \.boss?.firstName)
            grouped.sortDescriptors = [FetchSort("count"), FetchSort("boss")]
            #expect(
                try context.fetch(grouped).map(\.plain) == [
                    "boss: null, count: 2, sum(age): 90, average(age): 45.0, min(age): 40, "
                        + "max(age): 50, count(salary): 2",
                    "boss: ada, count: 2, sum(age): 50, average(age): 25.0, min(age): 20, "
                        + "max(age): 30, count(salary): 1",
                ])
            #expect(throws: FetchPredicateError.self) {
                try FetchColumn.sum(\Person.calls)
            }
        }
    }

    @Test func `a to-one relationship gives the ID of its object, of its own entity`() throws {
        try Self.company { context throws in
            let boss = try context.insert(Employee.self)
            (boss.firstName, boss.age) = ("eve", 60)
            let ada = try #require(
                try context.fetch(FetchRequest<Person>(where: \.firstName == "ada")).first)
            ada.boss = boss
            try context.save()
            var request = RowRequest<Person>()
            request.propertiesToFetch = ["SELF", "boss", "company"]
            request.predicate = try FetchPredicate("firstName IN {'ada', 'dan'}")
            request.sorts = [FetchSort("age")]
            let rows = try context.fetch(request)
            #expect(try rows[0].objectID(forKey: "SELF") == ada.objectID)
            #expect(try rows[0].objectID(forKey: "boss") == boss.objectID)
            #expect(try rows[0].objectID(forKey: "boss")?.entity.name == "Employee")
            #expect(try rows[0].objectID(forKey: "company")?.entity.name == "Company")
            #expect(try rows[1].objectID(forKey: "boss") == nil)
            #expect(throws: PropertyError.self) { try rows[0].value(forKey: "boss") }
        }
    }

    @Test func `every type of attribute comes as it was saved`() throws {
        try Graph().inContext { context throws in
            let sample = try context.insert(Sample.self)
            (sample.big, sample.colour, sample.data) = (.max, .green, Data([1, 2]))
            (sample.decimal, sample.double, sample.flag) = (1.25, .nan, true)
            (sample.float, sample.medium, sample.small) = (0.5, 7, -3)
            (sample.moment, sample.text) = (Date(timeIntervalSinceReferenceDate: 0.5), "t")
            sample.token = UUID()
            sample.uri = try #require(URL(string: "https://example.org"))
            try context.save()
            let row = try #require(try context.fetch(RowRequest<Sample>()).first)
            for name in row.names {
                #expect(try row.value(forKey: name) == sample.value(forKey: name), "\(name)")
            }
            #expect(try row.value(forKey: "colour", as: Colour.self) == .green)
            #expect(row["moment"] == sample.moment)
            let none: Int? = row["nothing"]
            #expect(none == nil)
            #expect(throws: PropertyError.self) { try row.value(forKey: "nothing") }
            #expect(throws: PropertyError.self) {
                try row.value(forKey: "text", as: Int.self)
            }
            #expect(throws: PropertyError.self) { try row.objectID(forKey: "text") }
        }
    }

    @Test func `rows show what is saved, and say so where changes have to count`() throws {
        try Self.company { context throws in
            let count = FetchColumn.count()
            try context.person("new", age: 1)
            #expect(try rows([count], context) { $0.sorts = [] } == ["count: 4"])
            let error = #expect(throws: PropertyError.self) {
                try rows([count], context) {
                    $0.sorts = []
                    $0.includesPendingChanges = true
                }
            }
            #expect(error?.code == .unsavedChanges)
            try context.save()
            #expect(
                try rows([count], context) {
                    $0.sorts = []
                    $0.includesPendingChanges = true
                } == ["count: 5"])
        }
    }

    @Test func `a child context reads the rows of the store, and knows its parent's changes`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            try context.person("ada")
            try context.save()
        }
        let parent = graph.context()
        let child = BackgroundContext(parent: parent)
        var request = RowRequest<Person>()
        request.propertiesToFetch = [.count()]
        func counts() throws -> [String] {
            try child.performAndWait { try $0.fetch(request).map(\.plain) }
        }
        request.includesPendingChanges = true
        #expect(try counts() == ["count: 1"])
        try parent.performAndWait { _ = try $0.person("ben") }
        #expect(throws: PropertyError.self) { try counts() }
        request.includesPendingChanges = false
        #expect(try counts() == ["count: 1"])
    }

    @Test func `a result type converts what fits, and refuses the rest`() throws {
        try Self.company { context throws in
            let whole = try FetchColumn(format: "age / 10", as: "tens", resultType: .integer64)
            #expect(try rows([whole], context) == ["tens: 2", "tens: 3", "tens: 4", "tens: 5"])
            let third = try FetchColumn(format: "age / 3.0", as: "third", resultType: .integer64)
            let error = #expect(throws: FetchPredicateError.self) { try rows([third], context) }
            #expect(error?.code == .typeMismatch)
            #expect(error?.key == "third")
        }
    }
}

extension FetchedRow {
    /// The names and values, with texts as they are.
    var plain: String { description.replacing("'", with: "") }
}
