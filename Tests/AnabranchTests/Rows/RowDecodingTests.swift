import Anabranch
import Foundation
import Testing

/// Tests of rows as values of an app's own types.
@Suite struct `Decoded rows` {
    private struct Summary: Decodable, Equatable {
        struct Firm: Decodable, Equatable { var name: String }
        var firstName: String
        var age: UInt8
        var salary: Decimal?
        var company: Firm?
    }

    @Test func `members take their columns, and nested ones those behind a point`() throws {
        try `Row fetches`.company { context throws in
            var request = RowRequest<Person>()
            request.propertiesToFetch = ["firstName", "age", "salary", "company.name"]
            request.sorts = [FetchSort("age")]
            let rows = try context.fetch(request, as: Summary.self)
            #expect(
                rows.prefix(2) == [
                    Summary(
                        firstName: "ben", age: 20, salary: 2.5, company: .init(name: "Alpha")),
                    Summary(firstName: "cy", age: 30, salary: nil, company: .init(name: "Beta")),
                ])
            #expect(rows.last?.company == nil)
        }
    }

    @Test func `a single column is a single value`() throws {
        try `Row fetches`.company { context throws in
            var request = RowRequest<Person>()
            request.propertiesToFetch = [.average("age")]
            #expect(try context.fetch(request, as: Double.self) == [35])
            #expect(try context.fetch(request, as: Int.self) == [35])
            request.propertiesToFetch = [.maximum("age")]
            #expect(try context.fetch(request, as: Float.self) == [50])
            request.propertiesToFetch = [.maximum("age"), .minimum("age")]
            #expect(throws: DecodingError.self) { try context.fetch(request, as: Int.self) }
        }
    }

    private struct Everything: Decodable {
        var big: Int, small: Int8, flag: Bool, double: Double, float: Float, text: String
        var moment: Date, token: UUID, uri: URL, data: Data, decimal: Decimal, colour: Colour
        var medium: UInt64
    }

    @Test func `every type of attribute can be a member`() throws {
        try Graph().inContext { context throws in
            let sample = try context.insert(Sample.self)
            (sample.big, sample.colour, sample.data) = (1 << 60, .green, Data([1, 2]))
            (sample.decimal, sample.double, sample.flag) = (1.25, 0.1, true)
            (sample.float, sample.medium, sample.small) = (0.5, 7, -3)
            (sample.moment, sample.text) = (Date(timeIntervalSinceReferenceDate: 0.5), "t")
            sample.token = UUID()
            sample.uri = try #require(URL(string: "https://example.org"))
            try context.save()
            let row = try #require(
                try context.fetch(RowRequest<Sample>(), as: Everything.self).first)
            #expect(row.big == 1 << 60 && row.small == -3 && row.medium == 7 && row.flag)
            #expect(row.double == 0.1 && row.float == 0.5 && row.decimal == 1.25)
            #expect(row.text == "t" && row.moment == sample.moment && row.token == sample.token)
            #expect(row.uri == sample.uri && row.data == sample.data && row.colour == .green)
        }
    }

    private struct Owner: Decodable { var company: URL?, boss: String? }

    @Test func `an object is the text or the URL of its ID`() throws {
        try `Row fetches`.company { context throws in
            var request = RowRequest<Person>()
            request.propertiesToFetch = ["company", "boss"]
            request.predicate = try FetchPredicate("firstName == 'ben'")
            let person = try #require(
                try context.fetch(FetchRequest<Person>(where: \.firstName == "ben")).first)
            let owner = try #require(try context.fetch(request, as: Owner.self).first)
            #expect(owner.company == person.company?.objectID.uriRepresentation)
            #expect(owner.boss == person.boss?.objectID.uriRepresentation.absoluteString)
        }
    }

    private struct Missing: Decodable { var firstName: String, nothing: Int }
    private struct Wrong: Decodable { var firstName: Int }
    private struct Needed: Decodable { var salary: Decimal }

    @Test func `what does not fit is an error that names the column`() throws {
        try `Row fetches`.company { context throws in
            var request = RowRequest<Person>()
            request.propertiesToFetch = ["firstName", "salary"]
            func reason<T: Decodable>(_ type: T.Type) -> String {
                do {
                    _ = try context.fetch(request, as: type)
                    return "decoded"
                } catch {
                    return "\(error)"
                }
            }
            #expect(reason(Missing.self).contains("nothing"))
            #expect(reason(Wrong.self).contains("firstName"))
            #expect(reason(Needed.self).contains("salary"))
        }
    }
}
