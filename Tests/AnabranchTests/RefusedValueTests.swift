import Anabranch
import Foundation
import Testing

@Suite struct `Values that no attribute holds` {
    /// A number of 39 digits, which is more than an attribute holds.
    private let third = Decimal(4) / Decimal(3)

    @Test func `a setter leaves the property as it was, and the next save reports the error`()
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            anna.salary = 2
            anna.salary = third
            #expect(anna.salary == 2)
            let error = #expect(throws: PropertyError.self) { try context.save() }
            #expect(error?.entity == "Person" && error?.property == "salary")
            #expect(error?.objectID == anna.objectID)
            #expect(error?.message.contains("1.3333") == true)
            #expect(error?.message.contains("NSDecimalRound") == true)
            #expect(anna.isInserted)
            try context.save()
        }
        try graph.inContext { context throws in #expect(try context.people().first?.salary == 2) }
    }

    @Test func `a decimal that is no number is refused like one that is too long`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let sample = try context.insert(Sample.self)
            sample.decimal = 5
            sample.decimal = .nan
            #expect(sample.decimal == 5)
            let error = #expect(throws: PropertyError.self) { try context.save() }
            #expect(error?.property == "decimal")
        }
    }

    @Test func `every refused value is reported, also those that willSave sets`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            let bob = try context.person("Bob")
            for person in [anna, bob] { person.salary = third }
            let error = #expect(throws: PropertyError.self) { try context.save() }
            #expect(error?.code == .multiple)
            #expect(error?.all.map(\.objectID) == [anna.objectID, bob.objectID])
            #expect(error?.all.allSatisfy { $0.code == .unrepresentable } == true)
            anna.onWillSave = { $0.salary = third }
            #expect(throws: PropertyError.self) { try context.save() }
            #expect(context.insertedObjects == [anna, bob])
        }
    }

    @Test func `a value that is set by name is refused at once`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            anna.salary = 2
            for value in [third, Decimal.nan] {
                let error = #expect(throws: PropertyError.self) {
                    try anna.setValue(value, forKey: "salary")
                }
                #expect(error?.property == "salary" && error?.objectID == anna.objectID)
            }
            #expect(anna.salary == 2)
            try context.save()
        }
    }

    @Test func `a number rounded to 38 digits is kept whole`() throws {
        let graph = try Graph()
        var long = third
        var rounded = Decimal()
        NSDecimalRound(&rounded, &long, 37, .plain)
        try graph.inContext { context throws in
            try context.person("Anna").salary = rounded
            try context.save()
        }
        try graph.inContext { context throws in
            #expect(try context.people().first?.salary == rounded)
        }
    }

    @Test func `a predicate is not built with such an argument`() throws {
        let long = third
        for argument in [long, Decimal.nan] {
            let error = #expect(throws: FetchPredicateError.self) {
                try FetchPredicate("age > %d AND salary == %@", 3, argument)
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.column == 24 && error?.message.contains("argument 2") == true)
            #expect(throws: FetchPredicateError.self) {
                try FetchPredicate("salary IN %@", [1, argument])
            }
            #expect(throws: FetchPredicateError.self) {
                try FetchPredicate("salary == %f", Optional(argument))
            }
        }
    }

    @Test func `a variable of a predicate can't have such a value`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            var request = FetchRequest<Person>()
            request.predicate = try FetchPredicate("salary != $limit")
            request.variables = ["limit": third]
            let error = #expect(throws: FetchPredicateError.self) { try context.fetch(request) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("$limit") == true)
        }
    }
}
