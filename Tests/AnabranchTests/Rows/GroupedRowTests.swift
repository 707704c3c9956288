import Anabranch
import AnabranchReplication
import Foundation
import Testing

/// Tests of groups, their conditions, and of distinct rows.
@Suite struct `Grouped rows` {
    private func request(_ columns: [FetchColumn], by groups: String...) -> RowRequest<Person> {
        var request = RowRequest<Person>()
        request.propertiesToFetch = columns
        request.propertiesToGroupBy = groups
        return request
    }

    @Test func `aggregates without groups give one row, also of nothing`() throws {
        try `Row fetches`.company { context throws in
            var all = request([
                .count(), .count("salary"), .sum("age"), .average("age"), .sum("salary"),
                .maximum("firstName"), .minimum("salary"),
                try FetchColumn(format: "median(age)", as: "median"),
                try FetchColumn(format: "max(age) - min(age)", as: "span"),
            ])
            #expect(
                try context.fetch(all).map(\.plain) == [
                    "count: 4, count(salary): 3, sum(age): 140, average(age): 35.0, "
                        + "sum(salary): 8, max(firstName): dan, min(salary): 1.5, median: 35.0, "
                        + "span: 30"
                ])
            all.predicate = try FetchPredicate("age > 100")
            #expect(
                try context.fetch(all).map(\.plain) == [
                    "count: 0, count(salary): 0, sum(age): 0, average(age): null, "
                        + "sum(salary): 0, max(firstName): null, min(salary): null, "
                        + "median: null, span: null"
                ])
            #expect(try context.count(for: all) == 1)
        }
    }

    @Test func `groups of months, in a time zone`() throws {
        let zone = try #require(TimeZone(identifier: "Pacific/Auckland"))
        try Graph().inContext { context throws in
            // The last one is in January there, and the one of 2024 in February everywhere.
            for text in [
                "2024-02-29T00:00:00Z", "2026-01-01T00:00:00Z", "2026-01-30T12:00:00Z",
                "2025-12-31T11:00:00Z",
            ] {
                let sample = try context.insert(Sample.self)
                sample.moment = try Date(text, strategy: .iso8601)
            }
            _ = try context.insert(Sample.self)
            try context.save()
            var request = try RowRequest<Sample>([
                .value((\Sample.moment).year(in: zone), as: "year"),
                .value((\Sample.moment).month(in: zone), as: "month"), .count(),
            ])
            request.propertiesToGroupBy = ["year", "month"]
            request.sorts = [FetchSort("year"), FetchSort("month")]
            #expect(
                try context.fetch(request).map(\.plain) == [
                    "year: null, month: null, count: 1", "year: 2024, month: 2, count: 1",
                    "year: 2026, month: 1, count: 3",
                ])
            let found = try FetchRequest<Sample>(
                where: (\Sample.moment).month(in: zone) == 1
                    && (\Sample.moment).day(in: zone) < 2)
            #expect(try context.count(for: found) == 2)
            let all = try context.fetch(FetchRequest<Sample>())
            #expect(try all.filtered(using: try #require(found.predicate)).count == 2)
            let error = #expect(throws: FetchPredicateError.self) {
                var request = FetchRequest<Sample>()
                request.predicate = try FetchPredicate("year:in:(moment, 'Mars/Olympus') == 2026")
                _ = try context.fetch(request)
            }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test func `groups have an order, a window and a count`() throws {
        try `Row fetches`.company { context throws in
            var grouped = request(
                ["company.name", .count(as: "people"), .sum("age", as: "years")],
                by: "company.name")
            grouped.sorts = [FetchSort("company.name")]
            #expect(
                try context.fetch(grouped).map(\.plain) == [
                    "company.name: null, people: 1, years: 50",
                    "company.name: Alpha, people: 2, years: 60",
                    "company.name: Beta, people: 1, years: 30",
                ])
            #expect(try context.count(for: grouped) == 3)
            grouped.sorts = [FetchSort("people", ascending: false), FetchSort("years")]
            (grouped.fetchLimit, grouped.fetchOffset) = (1, 1)
            #expect(
                try context.fetch(grouped).map(\.plain)
                    == ["company.name: Beta, people: 1, years: 30"])
        }
    }

    @Test(arguments: [
        "people > 1", "$people > 1", "count(SELF) > 1", "count(firstName) > 1 AND sum(age) == 60",
        "company.name == 'Alpha'", "company.name IN {'Alpha'} AND max(age) BETWEEN {40, 41}",
    ])
    func `a condition on groups names columns, variables and functions`(_ format: String) throws {
        try `Row fetches`.company { context throws in
            var grouped = request(
                ["company.name", .count(as: "people")], by: "company.name")
            grouped.havingPredicate = try FetchPredicate(format)
            #expect(
                try context.fetch(grouped).map(\.plain)
                    == ["company.name: Alpha, people: 2"])
        }
    }

    @Test func `a condition on groups takes variables of the request`() throws {
        try `Row fetches`.company { context throws in
            var grouped = request(["company.name", .count(as: "people")], by: "company.name")
            grouped.havingPredicate = try FetchPredicate("people >= $LEAST")
            grouped.variables = ["LEAST": 2]
            #expect(try context.fetch(grouped).count == 1)
        }
    }

    @Test func `a group by an object settles all of its values`() throws {
        try `Row fetches`.company { context throws in
            var grouped = request(
                [
                    "company", "company.name", .count(),
                    .property("company.staff.@count", as: "all"),
                ],
                by: "company")
            grouped.predicate = try FetchPredicate("company != nil AND age > 25")
            grouped.sorts = [FetchSort("company.name")]
            let rows = try context.fetch(grouped)
            #expect(rows.map { $0["company.name"] } == ["Alpha", "Beta"])
            #expect(rows.map { $0["count"] } == [1, 1])
            #expect(rows.map { $0["all"] } == [2, 1])
            #expect(try rows[0].objectID(forKey: "company")?.entity.name == "Company")
        }
    }

    @Test func `a computed column is a group`() throws {
        try `Row fetches`.company { context throws in
            var grouped = request(
                [
                    try FetchColumn(format: "TERNARY(age >= 40, 'old', 'young')", as: "grown"),
                    .count(),
                ], by: "grown")
            grouped.sorts = [FetchSort("grown")]
            #expect(
                try context.fetch(grouped).map(\.plain)
                    == ["grown: old, count: 2", "grown: young, count: 2"])
        }
    }

    @Test func `a condition is no column`() {
        let error = #expect(throws: FetchPredicateError.self) {
            try FetchColumn(format: "age >= 40", as: "grown")
        }
        #expect(error?.column == 5)
    }

    @Test func `equal rows come once if asked for`() throws {
        try `Row fetches`.company { context throws in
            var distinct = request(["boss.firstName"])
            distinct.returnsDistinctResults = true
            distinct.sorts = [FetchSort("boss.firstName")]
            #expect(
                try context.fetch(distinct).map(\.plain)
                    == ["boss.firstName: null", "boss.firstName: ada"])
            #expect(try context.count(for: distinct) == 2)
            distinct.fetchLimit = 1
            #expect(try context.fetch(distinct).count == 1)
            distinct.sorts = [FetchSort("age")]
            #expect(throws: FetchPredicateError.self) { try context.fetch(distinct) }
            let counted = request([.count("boss.firstName", distinct: true, as: "bosses")])
            #expect(try context.fetch(counted).map(\.plain) == ["bosses: 1"])
            let owners = request([.count("boss", distinct: true, as: "bosses"), .count("boss")])
            #expect(try context.fetch(owners).map(\.plain) == ["bosses: 1, count(boss): 2"])
        }
    }

    @Test func `sums of integers are exact and have no bound`() throws {
        try Graph().inContext { context throws in
            for number in [Int.max, .max, .min, -5] {
                try context.insert(Sample.self).big = number
            }
            try context.save()
            var sums = RowRequest<Sample>()
            sums.propertiesToFetch = [.sum("big", as: "sum"), .average("big", as: "mean")]
            let row = try #require(try context.fetch(sums).first)
            #expect(try row.value(forKey: "sum") == .integer(.max - 6))
            sums.predicate = try FetchPredicate("big > 0")
            let beyond = try #require(try context.fetch(sums).first)
            #expect(beyond["sum"] == Double(Int.max) * 2)
            sums.predicate = try FetchPredicate("big < -9")
            #expect(try context.fetch(sums).first?["sum"] == Int.min)
        }
    }

    @Test(
        arguments: [
            (["firstName", "count(SELF)"], [], nil, "firstName"),
            (["company.name", "age"], ["company.name"], nil, "age"),
            (["reports"], [], nil, "reports"),
            (["sum(age)"], ["sum(age)"], nil, "sum(age)"),
            (["sum(firstName)"], [], nil, "firstName"),
            (["sum(sum(age))"], [], nil, nil),
            (["mood"], [], nil, "mood"),
            (["nothing"], [], nil, "nothing"),
            (["firstName", "firstName"], [], nil, "firstName"),
            (["firstName"], [], "age > 3", nil),
            (["company.name"], ["company.name"], "age > 3", nil),
            (["company.name"], ["company.staff"], nil, "staff"),
        ] as [([String], [String], String?, String?)])
    func `what has no meaning is refused with the reason`(
        _ columns: [String], _ groups: [String], _ having: String?, _ key: String?
    ) throws {
        try `Row fetches`.company { context throws in
            var request = RowRequest<Person>()
            request.propertiesToFetch = try columns.map { try FetchColumn(format: $0, as: $0) }
            request.propertiesToGroupBy = groups
            request.havingPredicate = try having.map { try FetchPredicate($0) }
            let error = #expect(throws: FetchPredicateError.self) { try context.fetch(request) }
            #expect(error?.key == key)
            #expect(error?.message.hasPrefix("Can't ") == true)
        }
    }
}
