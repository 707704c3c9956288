import Anabranch
import Foundation
import Testing

/// Tests of conditions and sorts that are written with Swift key paths.
@Suite struct `Predicates with key paths` {
    private func expect(
        _ predicate: ObjectPredicate<Person>, _ format: String,
        _ arguments: (any PredicateArgument)?..., at location: SourceLocation = #_sourceLocation
    ) throws {
        let expected = try FetchPredicate(format: format, arguments: arguments)
        #expect(try FetchPredicate(predicate) == expected, sourceLocation: location)
    }

    @Test func `a comparison with a value`() throws {
        try expect(\.age == 7, "age == 7")
        try expect(\.age != 7, "age != 7")
        try expect(\.age < 7, "age < 7")
        try expect(\.age <= 7, "age <= 7")
        try expect(\.age > 7, "age > 7")
        try expect(\.age >= 7, "age >= 7")
        try expect(\.firstName == "ada", "firstName == 'ada'")
        try expect(\.firstName > "a", "firstName > 'a'")
        try expect(\.firstName == nil, "firstName == nil")
        try expect(\.salary >= 3.5, "salary >= %@", Decimal(3.5))
        try expect([1, 2].contains(\.age), "age IN {1, 2}")
        try expect(["a", "b"].contains(\.firstName), "firstName IN {'a', 'b'}")
        try expect((1...5).contains(\.age), "age BETWEEN {1, 5}")
        try expect((1..<5).contains(\.age), "age >= 1 AND age < 5")
    }

    @Test func `a comparison of two properties`() throws {
        try expect(\.firstName == \.boss?.firstName, "firstName == boss.firstName")
        try expect(\.boss?.age < \.boss?.boss?.age, "boss.age < boss.boss.age")
        try expect(
            \.boss?.reports.count == \.boss?.groups.count,
            "boss.reports.@count == boss.groups.@count")
    }

    @Test func `a comparison of a property with an optional one`() throws {
        try expect(\.age == \.boss?.age, "age == boss.age")
        try expect(\.boss?.age == \.age, "boss.age == age")
        try expect(\.age != \.boss?.age, "age != boss.age")
        try expect(\.boss?.age != \.age, "boss.age != age")
        try expect(\.age < \.boss?.age, "age < boss.age")
        try expect(\.boss?.age < \.age, "boss.age < age")
        try expect(\.age <= \.boss?.age, "age <= boss.age")
        try expect(\.boss?.age <= \.age, "boss.age <= age")
        try expect(\.age > \.boss?.age, "age > boss.age")
        try expect(\.boss?.age > \.age, "boss.age > age")
        try expect(\.age >= \.boss?.age, "age >= boss.age")
        try expect(\.boss?.age >= \.age && \.age > 3, "boss.age >= age AND age > 3")
        try Graph().inContext { context throws in
            let ada = try context.person("ada", age: 40)
            try context.person("ben", age: 20, boss: ada)
            let cy = try context.person("cy", age: 50, boss: ada)
            try context.save()
            #expect(try context.fetch(FetchRequest<Person>(where: \.age > \.boss?.age)) == [cy])
            #expect(try [ada, cy].filtered(using: \.boss?.age < \.age) == [cy])
        }
    }

    @Test func `a property that is true or false is a condition`() throws {
        func expect(_ predicate: ObjectPredicate<Sample>, _ format: String) throws {
            #expect(try FetchPredicate(predicate) == FetchPredicate(format))
        }
        try expect(!\.flag, "NOT flag == YES")
        try expect(\.flag && \.big > 3, "flag == YES AND big > 3")
        try expect(\.big > 3 && \.flag, "big > 3 AND flag == YES")
        try expect(\.flag && \.flag, "flag == YES AND flag == YES")
        try expect(\.flag || \.big > 3, "flag == YES OR big > 3")
        try expect(\.big > 3 || !\.flag, "big > 3 OR NOT flag == YES")
        try expect(\.big > 3 || \.flag, "big > 3 OR flag == YES")
        try expect(\.flag || \.flag && \.big > 3, "flag == YES OR (flag == YES AND big > 3)")
        #expect(
            try FetchPredicate(!\Switch.other?.isOn) == FetchPredicate("NOT other.isOn == YES"))
        let refused = #expect(throws: FetchPredicateError.self) {
            try FetchPredicate(!\Person.isGrown)
        }
        #expect(refused?.code == .notAProperty)
    }

    @Test func `conditions are combined`() throws {
        try expect(
            \.age >= 18 && \.boss?.firstName == "ada" || !(\.age > 60),
            "(age >= 18 AND boss.firstName == 'ada') OR NOT age > 60")
        try expect(\.age > 1 && \.age > 2 && \.age > 3, "age > 1 AND age > 2 AND age > 3")
    }

    @Test func `texts`() throws {
        try expect((\Person.firstName).hasPrefix("a"), "firstName BEGINSWITH 'a'")
        try expect(
            (\Person.firstName).hasSuffix("a", .caseInsensitive), "firstName ENDSWITH[c] 'a'")
        try expect((\Person.boss?.firstName).contains("a"), "boss.firstName CONTAINS 'a'")
        try expect((\Person.firstName).isLike("a*"), "firstName LIKE 'a*'")
        try expect((\Person.firstName).matches("a+"), "firstName MATCHES 'a+'")
        try expect(
            (\Person.firstName).isEqual(to: "Ä", [.caseInsensitive, .diacriticInsensitive]),
            "firstName ==[cd] 'Ä'")
    }

    @Test func `to-many relationships`() throws {
        try expect(\.reports.count >= 2, "reports.@count >= 2")
        try expect((\Person.reports).isEmpty, "reports.@count == 0")
        try expect(
            (\Person.reports).contains(where: \.age > 60),
            "SUBQUERY(reports, $object1, $object1.age > 60).@count > 0")
        try expect(
            (\Person.boss?.reports).allSatisfy(\.boss?.age > 60),
            "SUBQUERY(boss.reports, $object1, NOT $object1.boss.age > 60).@count == 0")
        try expect(
            (\Person.reports).count(where: (\Person.friends).contains(where: \.age > 3)) == 2,
            """
            SUBQUERY(reports, $object2, SUBQUERY($object2.friends, $object1, $object1.age > 3)\
            .@count > 0).@count == 2
            """)
        try expect((\Person.reports).sum(\.age) > 90, "reports.@sum.age > 90")
        try expect((\Person.reports).average(\.age) > 90.5, "reports.@avg.age > 90.5")
        try expect((\Person.reports).maximum(\.age) <= 9, "reports.@max.age <= 9")
        try expect((\Person.reports).minimum(\.boss?.age) == nil, "reports.@min.boss.age == nil")
    }

    @Test func `objects and their IDs`() throws {
        try Graph().inContext { context throws in
            let ada = try context.person("ada", age: 40)
            try expect(\.boss == ada, "boss == %@", ada)
            try expect(\.boss?.boss != nil, "boss.boss != nil")
            try expect(\.objectID == ada.objectID, "SELF == %@", ada)
            try expect(\.self == ada, "SELF == %@", ada)
            try expect(\.boss?.objectID == ada.objectID, "boss == %@", ada)
            try expect([ada].contains(\.boss), "boss IN %@", [ada])
            try expect((\Person.reports).contains(ada), "reports CONTAINS %@", ada)
        }
    }

    @Test func `an inherited property, and one of a class at the other end`() throws {
        #expect(try FetchPredicate(\Employee.boss?.age > 3) == FetchPredicate("boss.age > 3"))
        #expect(
            try FetchPredicate(\Passport.holder?.passport?.number == "x")
                == FetchPredicate("holder.passport.number == 'x'"))
    }

    @Test func `every type of attribute`() throws {
        func expect(
            _ predicate: ObjectPredicate<Sample>, _ key: String, _ value: (any PredicateArgument)?
        ) throws {
            #expect(try FetchPredicate(predicate) == FetchPredicate("%K == %@", key, value))
        }
        let moment = Date(timeIntervalSinceReferenceDate: 5)
        let token = UUID()
        try expect(\.big == 5, "big", 5)
        try expect(\.colour == .green, "colour", 2)
        try expect(\.data == Data([1]), "data", Data([1]))
        try expect(\.decimal == 5, "decimal", Decimal(5))
        try expect(\.double == 0.5, "double", 0.5)
        try expect(\.flag == true, "flag", true)
        try expect(\.float == 0.5, "float", 0.5)
        try expect(\.medium == 5, "medium", 5)
        try expect(\.moment == moment, "moment", moment)
        try expect(\.small == 5, "small", 5)
        try expect(\.text == "x", "text", "x")
        try expect(\.token == token, "token", token)
        try expect(\.uri == URL(filePath: "/x"), "uri", URL(filePath: "/x"))
    }

    @Test func `a computed property is refused, unless it returns a stored one`() throws {
        try expect(\.alias == "x", "firstName == 'x'")
        try expect(\.manager?.age == 5, "boss.boss.age == 5")
        let refused: [ObjectPredicate<Person>] = [
            \.fullName == "x", \.shortName == "x", \.isGrown == true, \.isYoung == true,
            \.shownName == "x", \.secretName == "x", \.next == 5, \.oldest?.age == 5,
            \.reports.isEmpty == true, \.constant == 5, \.boss?.fullName == "x",
        ]
        for predicate in refused {
            let error = #expect(throws: FetchPredicateError.self) { try FetchPredicate(predicate) }
            #expect(error?.code == .notAProperty)
        }
        #expect(throws: FetchPredicateError.self) { try FetchSort(\Person.fullName) }
    }

    @Test func `a value that no attribute can hold is refused`() throws {
        let error = #expect(throws: FetchPredicateError.self) {
            try FetchRequest<Person>(where: \.salary == Decimal.nan && \.age > 3)
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `sort keys`() throws {
        #expect(
            try FetchRequest<Person>(
                sortedBy: \.firstName, .reverse(\.boss?.age), \.reports.count,
                .forward(\.lastName, .localizedStandard)
            ).sortDescriptors == [
                FetchSort("firstName"), FetchSort("boss.age", ascending: false),
                FetchSort("reports.@count"), FetchSort("lastName", options: .localizedStandard),
            ])
        #expect(try FetchSort(\Person.self) == FetchSort("SELF"))
    }

    @Test func `a fetch, and the same question of objects at hand`() throws {
        try Graph().inContext { context throws in
            let ada = try context.person("ada", age: 40)
            for (name, age) in [("ben", 20), ("cy", 30), ("dan", 30)] as [(String, Int64)] {
                try context.person(name, age: age).boss = ada
            }
            try context.save()
            let request = try FetchRequest<Person>(
                where: \.boss?.firstName == "ada" && \.age < 35,
                sortedBy: .reverse(\.age), \.firstName)
            #expect(try context.fetch(request).map(\.firstName) == ["cy", "dan", "ben"])
            let young = try ada.reports.filtered(using: \.age < 25)
            #expect(young.map(\.firstName) == ["ben"])
            #expect(
                try ada.reports.sorted(using: .reverse(\.age), .reverse(\.firstName))
                    .map(\.firstName) == ["dan", "cy", "ben"])
            let isBoss = (\Person.reports).contains(where: \.age == 30)
            #expect(try isBoss.evaluate(with: ada))
            #expect(try !isBoss.evaluate(with: young[0]))
            #expect(try FetchPredicate("age == $AGE").evaluate(with: ada, variables: ["AGE": 40]))
        }
    }

    @Test func `elements of a composite attribute`() throws {
        func expect(_ predicate: ObjectPredicate<Addressee>, _ format: String) throws {
            #expect(try FetchPredicate(predicate) == FetchPredicate(format))
        }
        try expect(\.address?.city == "Bern", "address.city == 'Bern'")
        try expect(\.address?.place?.latitude > 46.5, "address.place.latitude > 46.5")
        try expect(\.home.street == nil, "home.street == nil")
        try expect(\.friend?.home.city == "Biel", "friend.home.city == 'Biel'")
        let refused = #expect(throws: FetchPredicateError.self) {
            try FetchPredicate(\Addressee.home.label == "x")
        }
        #expect(refused?.code == .notAProperty)
    }
}

extension Person {
    fileprivate var alias: String? { firstName }
    fileprivate var manager: Person? { boss?.boss }
    fileprivate var fullName: String { (firstName ?? "") + (lastName ?? "") }
    fileprivate var shortName: String? { firstName.map { String($0.prefix(1)) } }
    fileprivate var isGrown: Bool { age >= 18 }
    fileprivate var isYoung: Bool { !isGrown }
    fileprivate var shownName: String? { firstName ?? lastName }
    fileprivate var secretName: String? { age > 1000 ? nil : firstName }
    fileprivate var next: Int64 { age + 1 }
    fileprivate var oldest: Person? { reports.max { $0.age < $1.age } }
    fileprivate var constant: Int { 5 }
}

@Entity final class Switch: ManagedObject {
    var isOn: Bool
    var other: Switch?
}

@Composite struct MapPlace {
    var latitude: Double
    var longitude: Double
}

@Composite struct HomeAddress {
    var city: String?
    var street: String?
    @Attribute(.composite) var place: MapPlace?

    var label: String { (city ?? "") + (street ?? "") }
}

@Entity final class Addressee: ManagedObject {
    @Attribute(.composite) var address: HomeAddress?
    @Attribute(.composite) var home: HomeAddress
    var friend: Addressee?
}
