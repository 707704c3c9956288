import Anabranch
import Foundation
import Testing

/// Tests of computed values in the requests of a context.
@Suite struct `Computed values in fetches` {
    private func names(
        _ format: String, _ arguments: [(any PredicateArgument)?] = [],
        in context: ManagedObjectContext
    ) throws -> [String] {
        var request = FetchRequest<Person>()
        request.predicate = try FetchPredicate(format: format, arguments: arguments)
        request.sorts = [FetchSort("firstName")]
        return try context.fetch(request).compactMap(\.firstName)
    }

    /// Saves ada, 40, with the reports ben, 20, and cy, 30; and dan, 50, without any.
    private func company(_ body: (ManagedObjectContext) throws -> Void) throws {
        try Graph().inContext { context throws in
            let ada = try context.person("ada", age: 40)
            for (name, age) in [("ben", 20), ("cy", 30)] as [(String, Int64)] {
                try context.person(name, age: age).boss = ada
            }
            try context.person("dan", age: 50)
            try context.save()
            try body(context)
        }
    }

    @Test func `count unsaved changes of the object and of related ones`() throws {
        try company { context throws in
            #expect(try names("reports.@sum.age == 50", in: context) == ["ada"])
            #expect(try names("reports.@avg.age < age", in: context) == ["ada"])
            let ben = try #require(try context.fetch(FetchRequest<Person>()).first { $0.age == 20 })
            ben.boss = nil
            #expect(try names("reports.@sum.age == 30", in: context) == ["ada"])
            #expect(try names("reports.@sum.age == 0", in: context) == ["ben", "cy", "dan"])
            try context.save()
            #expect(try names("reports.@max.age == 30", in: context) == ["ada"])
        }
    }

    @Test func `a list may stand on the left`() throws {
        try company { context throws in
            #expect(try names("%@ CONTAINS age", [[20, 30]], in: context).count == 2)
            #expect(try names("{10, 20, 30} CONTAINS age", in: context).count == 2)
            #expect(
                try names("%@ CONTAINS[c] firstName", [["ADA", "CY"]], in: context) == [
                    "ada", "cy",
                ])
            let ada = try context.people("firstName == 'ada'")
            #expect(try names("%@ CONTAINS boss", [ada], in: context) == ["ben", "cy"])
            #expect(try names("ANY {20, 30} == age", in: context).count == 2)
            #expect(try names("ALL {20, 30} <= age", in: context).count == 3)
            #expect(try names("NONE {20, 30} == age", in: context).count == 2)
            #expect(try names("ANY %@ == firstName", [["ada", "x"]], in: context) == ["ada"])
        }
    }

    @Test func `a request inside a predicate runs first, with unsaved changes`() throws {
        try company { context throws in
            var grown = FetchRequest<Person>()
            grown.predicate = try FetchPredicate("age > $LEAST")
            grown.variables = ["LEAST": 25]
            #expect(
                try names("SELF IN FETCH(%@, nil, NO)", [grown], in: context)
                    == ["ada", "cy", "dan"])
            #expect(try names("boss IN FETCH(%@, nil, NO)", [grown], in: context) == ["ben", "cy"])
            try context.person("eve", age: 60)
            #expect(
                try names("age == FETCH(%@, nil, YES) * 10", [grown], in: context) == ["ada"])
            let people = try context.people()
            let under = try FetchPredicate("boss IN FETCH(%@, nil, NO)", grown)
            #expect(
                try people.filtered(using: under).compactMap(\.firstName).sorted() == ["ben", "cy"])
            #expect(try people.filter { try under.evaluate(with: $0) }.count == 2)
            let unbound = FetchRequest<Person>(entityName: "Nothing")
            #expect(throws: PropertyError.self) {
                try names("SELF IN FETCH(%@, nil, NO)", [unbound], in: context)
            }
        }
    }

    @Test func `a regular expression with too many steps is an error, saved or not`() throws {
        try Graph().inContext { context throws in
            try context.person(String(repeating: "a", count: 60) + "b", age: 1)
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                let error = #expect(throws: FetchPredicateError.self) {
                    try names("firstName MATCHES '(a+)+c'", in: context)
                }
                #expect(error?.code == .tooComplex)
                #expect(try names("firstName MATCHES 'a+b'", in: context).count == 1)
            }
        }
    }

    @Test func `texts are sorted as people expect it, in the store and at hand`() throws {
        let names = ["item 10", "Item 9", "äpfel", "Zebra", "apfel", "item 9", "Äpfel", "b"]
        let expected = [
            "apfel", "äpfel", "Äpfel", "b", "item 9", "Item 9", "item 10", "Zebra",
        ]
        try Graph().inContext { context throws in
            for name in names { try context.person(name, age: 1) }
            var request = FetchRequest<Person>()
            request.sorts = [FetchSort("firstName", options: .localizedStandard)]
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                #expect(try context.fetch(request).map(\.firstName) == expected)
            }
            let people = try context.fetch(FetchRequest<Person>())
            #expect(try people.sorted(using: request.sorts).map(\.firstName) == expected)
        }
    }

    @Test func `objects at hand are filtered and sorted as in a store`() throws {
        try company { context throws in
            let people = try context.fetch(FetchRequest<Person>())
            let ada = try #require(people.first { $0.age == 40 })
            ada.age = 41
            let older = try FetchPredicate("age > $MIN AND SELF != %@", ada)
            #expect(
                try people.filtered(using: older, variables: ["MIN": 25])
                    .sorted(using: [FetchSort("age", ascending: false)]).map(\.age) == [50, 30])
            let reports = try ada.reports.sorted(using: [FetchSort("boss.age"), FetchSort("age")])
            #expect(reports.map(\.age) == [20, 30])
            #expect(try older.evaluate(with: ada, variables: ["MIN": 25]) == false)
            #expect(throws: FetchPredicateError.self) {
                try people.filtered(using: FetchPredicate("nothing == 1"))
            }
        }
    }

    @Test(arguments: ListOwner.allCases)
    func `places in a list are those of its order`(owner: ListOwner) throws {
        try Jukebox().inContext { context throws in
            let list = try owner.insert("abc", context)
            for isSaved in [false, true, false, true] {
                if isSaved {
                    try context.save()
                } else {
                    list.move(from: 0, to: 2)
                }
                let order = list.names.map(String.init)
                for (step, name) in [("[FIRST]", 0), ("[LAST]", 2), ("[1]", 1)] {
                    let predicate = try FetchPredicate("songs\(step).name == %@", order[name])
                    var request = FetchRequest<ManagedObject>(entityName: owner.rawValue)
                    request.predicate = predicate
                    #expect(try context.count(for: request) == 1, "\(predicate) of \(order)")
                    request.predicate = try FetchPredicate("songs\(step) == %@", list[name])
                    #expect(try context.count(for: request) == 1)
                    request.predicate = try FetchPredicate("songs\(step) == nil")
                    #expect(try context.count(for: request) == 0)
                }
                var request = FetchRequest<ManagedObject>(entityName: owner.rawValue)
                request.predicate = try FetchPredicate("songs[7] == nil AND songs[SIZE] == 3")
                #expect(try context.count(for: request) == 1)
            }
        }
    }

    @Test func `each end of a list that is its own inverse has places of its own`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                RelationshipDeclaration("peers", toMany: "Person", ordered: true, inverse: "peers")
            }
        }
        let container = PersistentContainer(
            model: model, classes: [], storeDescription: .inMemory(named: UUID().uuidString))
        try container.load()
        try container.newBackgroundContext().performAndWait { context throws in
            let people = try (0..<4).map { try context.made("\($0)", "Person") }
            for place in [2, 0, 3] {
                try people[1].list(forKey: "peers").append(people[place])
            }
            try people[3].list(forKey: "peers").append(people[2])
            try people[1].list(forKey: "peers").append(people[1])
            try people[1].list(forKey: "peers").move(from: 3, to: 1)
            try context.save()
            for person in people {
                let peers = try person.list(forKey: "peers")
                for place in 0...4 {
                    var request = FetchRequest<ManagedObject>(entityName: "Person")
                    request.predicate = try FetchPredicate(
                        "SELF == %@ AND peers[\(place)] == %@", person,
                        place < peers.count ? peers[place] : nil)
                    #expect(try context.count(for: request) == 1, "\(person["name"]) \(place)")
                }
            }
        }
    }

    @Test func `results that depend on a sum follow changes of its parts`() throws {
        try company { context throws in
            var request = FetchRequest<Person>()
            request.predicate = try FetchPredicate("reports.@sum.age >= 50")
            request.sorts = [FetchSort("reports.@max.age"), FetchSort("firstName")]
            let results = FetchedResultsController(fetchRequest: request, context: context)
            // Without a delegate, a controller does not follow changes.
            let log = ResultsLog<Person>()
            results.delegate = log
            try results.performFetch()
            #expect(results.fetchedObjects?.map(\.firstName) == ["ada"])
            let people = try context.fetch(FetchRequest<Person>())
            let (ben, dan) = (people.first { $0.age == 20 }, people.first { $0.age == 50 })
            ben?.age = 10
            try context.save()
            #expect(results.fetchedObjects?.isEmpty == true)
            ben?.boss = dan
            ben?.age = 60
            try context.save()
            #expect(results.fetchedObjects?.map(\.firstName) == ["dan"])
        }
    }
}
