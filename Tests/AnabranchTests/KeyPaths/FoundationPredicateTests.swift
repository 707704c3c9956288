import Anabranch
import Foundation
import Testing

/// Tests of predicates that were made by `#Predicate`.
@Suite struct `Foundation predicates` {
    private func expect(
        _ predicate: Predicate<Person>, _ format: String,
        _ arguments: (any PredicateArgument)?..., at location: SourceLocation = #_sourceLocation
    ) throws {
        let expected = try FetchPredicate(format: format, arguments: arguments)
        #expect(
            try FetchPredicate(predicate).predicateFormat == expected.predicateFormat,
            sourceLocation: location)
    }

    @Test func `comparisons and their combinations`() throws {
        try expect(#Predicate { $0.age >= 100 }, "age >= 100")
        try expect(#Predicate { $0.age < 100 && $0.age > 3 }, "age < 100 AND age > 3")
        try expect(#Predicate { $0.age <= 100 || !($0.age != 3) }, "age <= 100 OR NOT NOT age == 3")
        try expect(#Predicate { $0.age + 2 * $0.age == 9 }, "age + 2 * age == 9")
        try expect(#Predicate { -$0.age / 2 % 3 == 1 }, "modulus:by:(-age / 2, 3) == 1")
        try expect(#Predicate { (1...5).contains($0.age) }, "age >= 1 AND age <= 5")
        let range: Range<Int64> = 1..<5
        try expect(#Predicate { range.contains($0.age) }, "age >= 1 AND age < 5")
        let ages: [Int64] = [1, 2]
        try expect(#Predicate { ages.contains($0.age) }, "age IN {1, 2}")
        try expect(
            #Predicate { $0.age > 3 ? $0.age > 4 : $0.age > 5 },
            "age > 3 AND age > 4 OR NOT age > 3 AND age > 5")
    }

    @Test func `optionals`() throws {
        let name: String? = nil
        try expect(#Predicate { $0.firstName == nil }, "firstName == nil")
        try expect(#Predicate { $0.firstName == name }, "firstName == nil")
        try expect(#Predicate { $0.boss?.boss?.firstName == "a" }, "boss.boss.firstName == 'a'")
        try expect(#Predicate { $0.boss == nil }, "boss == nil")
        try expect(
            #Predicate { ($0.firstName ?? "b") == "a" },
            "TERNARY(firstName == nil, 'b', firstName) == 'a'")
        try expect(
            #Predicate { $0.boss.flatMap { $0.age > 3 } ?? false },
            "NOT boss == nil AND boss.age > 3")
        try expect(
            #Predicate { $0.boss.flatMap { $0.age > 3 } == true },
            "NOT boss == nil AND boss.age > 3")
        try expect(#Predicate { $0.boss!.age > 3 }, "boss.age > 3")
    }

    @Test func `objects are compared by their IDs`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let ada = try context.person("ada")
            let bob = try context.person("bob", boss: ada)
            try context.person("cleo", boss: bob)
            try context.save()
            let (id, ids) = (ada.objectID, [ada.objectID, bob.objectID])
            try expect(#Predicate { $0.boss?.objectID == id }, "boss == %@", ada)
            try expect(#Predicate { $0.objectID != id }, "NOT SELF == %@", ada)
            try expect(#Predicate { $0.boss == $0.boss?.boss }, "boss == boss.boss")
            let predicates: [Predicate<Person>] = [
                #Predicate { $0.boss?.objectID == id },
                #Predicate { $0.objectID != id },
                #Predicate { ids.contains($0.objectID) },
                #Predicate { $0.boss.flatMap { ids.contains($0.objectID) } ?? false },
                #Predicate { $0.reports.contains { $0.boss?.objectID == id } },
            ]
            let everybody = try context.fetch(FetchRequest<Person>(sortedBy: \.firstName))
            for predicate in predicates {
                let request = try FetchRequest<Person>(where: predicate, sortedBy: \.firstName)
                let expected = try everybody.filter(predicate).map(\.firstName)
                #expect(try context.fetch(request).map(\.firstName) == expected)
                #expect(!expected.isEmpty)
            }
        }
    }

    @Test func `texts`() throws {
        try expect(
            #Predicate { $0.firstName?.starts(with: "a") == true },
            "NOT firstName == nil AND firstName BEGINSWITH 'a'")
        try expect(
            #Predicate { $0.firstName?.contains("a") == true },
            "NOT firstName == nil AND firstName CONTAINS 'a'")
        try expect(
            #Predicate { $0.firstName?.localizedStandardContains("a") == true },
            "NOT firstName == nil AND firstName CONTAINS[cd] 'a'")
        try expect(
            #Predicate { $0.firstName?.isEmpty == true },
            "NOT firstName == nil AND firstName == ''")
    }

    @Test func `to-many relationships`() throws {
        try expect(#Predicate { $0.reports.count > 2 }, "reports.@count > 2")
        try expect(#Predicate { $0.reports.isEmpty }, "reports.@count == 0")
        try expect(
            #Predicate { $0.reports.contains { $0.age > 3 } },
            "SUBQUERY(reports, $object1, $object1.age > 3).@count > 0")
        try expect(
            #Predicate { $0.reports.allSatisfy { $0.age > 3 } },
            "SUBQUERY(reports, $object1, NOT $object1.age > 3).@count == 0")
        try expect(
            #Predicate { ($0.reports.filter { $0.age > 3 }).count == 2 },
            "SUBQUERY(reports, $object1, $object1.age > 3).@count == 2")
        try expect(
            #Predicate { person in
                person.reports.contains { report in
                    report.friends.contains { $0.age > person.age }
                }
            },
            """
            SUBQUERY(reports, $object1, SUBQUERY($object1.friends, $object2, \
            $object2.age > age).@count > 0).@count > 0
            """)
    }

    @Test func `values of other types`() throws {
        func expect(_ predicate: Predicate<Sample>, _ format: String) throws {
            #expect(
                try FetchPredicate(predicate).predicateFormat
                    == FetchPredicate(format).predicateFormat)
        }
        let green = Colour.green
        try expect(#Predicate { $0.colour == green }, "colour == 2")
        try expect(#Predicate { $0.flag }, "flag == 1")
        try expect(#Predicate { $0.flag == false }, "flag == 0")
        try expect(#Predicate { $0.double / 2 > 0.5 }, "double / 2.0 > 0.5")
    }

    @Test func `elements of a composite attribute`() throws {
        func expect(_ predicate: Predicate<Addressee>, _ format: String) throws {
            #expect(
                try FetchPredicate(predicate).predicateFormat
                    == FetchPredicate(format).predicateFormat)
        }
        try expect(#Predicate { $0.address?.city == "Bern" }, "address.city == 'Bern'")
        try expect(#Predicate { $0.home.city == "Bern" }, "home.city == 'Bern'")
        try expect(
            #Predicate { $0.home.place?.latitude == 46.5 }, "home.place.latitude == 46.5")
    }

    @Test func `an operation without a counterpart is refused`() throws {
        let isEmployee = #Predicate<Person> { $0 is Employee }
        let error = #expect(throws: FetchPredicateError.self) { try FetchPredicate(isEmployee) }
        #expect(error?.code == .notEvaluable)
        let length = #Predicate<Person> { $0.firstName?.count == 3 }
        #expect(throws: FetchPredicateError.self) { try FetchPredicate(length) }
    }

    @Test func `a fetch answers like the predicate itself`() throws {
        try Graph().inContext { context throws in
            let ada = try context.person("ada", age: 40)
            for (name, age) in [("ben", 20), ("cy", 30), ("dan", 33)] as [(String, Int64)] {
                try context.person(name, age: age).boss = ada
            }
            try context.save()
            let predicates: [Predicate<Person>] = [
                #Predicate { $0.age > 25 && $0.boss?.firstName == "ada" },
                #Predicate { $0.reports.contains { $0.age % 2 == 1 } },
                #Predicate { ($0.boss?.age ?? 0) - $0.age > 8 },
                #Predicate { $0.boss.flatMap { $0.age != 40 } ?? true },
                #Predicate { $0.firstName?.starts(with: "d") == true || $0.reports.isEmpty },
                #Predicate { -$0.age / 7 == -4 },
            ]
            let everybody = try context.fetch(FetchRequest<Person>(sortedBy: \.firstName))
            for predicate in predicates {
                let expected = try everybody.filter(predicate).map(\.firstName)
                let request = try FetchRequest<Person>(where: predicate, sortedBy: \.firstName)
                #expect(try context.fetch(request).map(\.firstName) == expected)
                #expect(!expected.isEmpty)
            }
        }
    }
}
