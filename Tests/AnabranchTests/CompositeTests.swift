import Anabranch
import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Tests of composite attributes in objects, fetches, validation and merges.
@Suite struct `Objects with composite attributes` {
    private static let bern: [String: PropertyValue] = [
        "street": "Spitalgasse", "city": "Bern", "number": 4, "location.latitude": 46.9,
        "location.longitude": 7.4,
    ]

    @Test func `a composite attribute is set and read as a dictionary of its elements`() throws {
        let book = try AddressBook()
        try book.inContext { context throws in
            let person = try context.insert("Person")
            #expect(try person.compositeValue(forKey: "address") == nil)
            try person.setCompositeValue(Self.bern, forKey: "address")
            #expect(person["address.city"] == "Bern")
            try context.save()
            try context.refresh(person, mergeChanges: false)
            #expect(try person.compositeValue(forKey: "address") == Self.bern)
            #expect(
                try person.compositeValue(forKey: "address.location")
                    == ["latitude": 46.9, "longitude": 7.4])
            // What is not in the dictionary gets no value.
            try person.setCompositeValue(["city": "Basel"], forKey: "address")
            #expect(try person.compositeValue(forKey: "address.location") == nil)
            #expect(try person.compositeValue(forKey: "address")?["street"] == .null)
            person["address.number"] = 7
            try context.save()
        }
        try book.inContext { context throws in
            let person = try #require(try context.addressees().first)
            #expect(
                try person.compositeValue(forKey: "address")
                    == [
                        "street": .null, "city": "Basel", "number": 7, "location.latitude": .null,
                        "location.longitude": .null,
                    ])
            try person.setCompositeValue(nil, forKey: "address")
            try context.save()
            #expect(try person.compositeValue(forKey: "address") == nil)
        }
    }

    @Test func `wrong names and values are refused, and nothing has changed`() throws {
        let book = try AddressBook()
        try book.inContext { context throws in
            let person = try context.insert("Person")
            try person.setCompositeValue(Self.bern, forKey: "address")
            func expect(_ code: PropertyError.Code, _ body: () throws -> Void) {
                #expect(throws: PropertyError.self) { try body() }
                do { try body() } catch { #expect((error as? PropertyError)?.code == code) }
            }
            expect(.unknownProperty) {
                try person.setCompositeValue(["town": "Bern"], forKey: "address")
            }
            expect(.wrongType) {
                try person.setCompositeValue(
                    ["city": "Basel", "number": "four"], forKey: "address")
            }
            expect(.wrongKind) { _ = try person.compositeValue(forKey: "name") }
            expect(.wrongKind) { _ = try person.value(forKey: "address") }
            expect(.unknownProperty) { _ = try person.compositeValue(forKey: "adress") }
            #expect(try person.compositeValue(forKey: "address") == Self.bern)
        }
    }

    @Test func `elements are compared and sorted by, in the store and among unsaved objects`()
        throws
    {
        let book = try AddressBook()
        try book.inContext { context throws in
            for (name, city, latitude) in [
                ("Anna", "Bern", 46.9), ("Ben", "Basel", 47.6), ("Cleo", "Bern", 46.0),
            ] {
                let person = try context.insert("Person")
                person["name"] = .string(name)
                try person.setCompositeValue(
                    [
                        "city": .string(city), "location.latitude": .double(latitude),
                        "location.longitude": 7,
                    ], forKey: "address")
                if name != "Anna" {
                    try person.setObject(
                        try context.addressees("name == 'Anna'").first, forKey: "boss")
                }
            }
            let byLatitude = [FetchSort("address.location.latitude")]
            func names(_ predicate: String, _ sorts: [FetchSort]) throws -> [PropertyValue] {
                try context.addressees(predicate, by: sorts).map { $0["name"] }
            }
            for round in 0..<2 {
                #expect(try names("address.city == 'Bern'", byLatitude) == ["Cleo", "Anna"])
                #expect(
                    try names("address.location.latitude > 46.5", [FetchSort("address.city")])
                        == ["Ben", "Anna"])
                #expect(
                    try names("boss.address.city == 'Bern'", byLatitude) == ["Cleo", "Ben"])
                #expect(
                    try names("ANY staff.address.city == 'Basel'", byLatitude) == ["Anna"])
                if round == 0 { try context.save() }
            }
            #expect(throws: FetchPredicateError.self) { try context.addressees("address == 'x'") }
            #expect(throws: FetchPredicateError.self) {
                try context.addressees("address.town == 'x'")
            }
        }
    }

    @Test func `mandatory elements are asked for only if another element has a value`() throws {
        let book = try AddressBook()
        try book.inContext { context throws in
            let person = try context.insert("Person")
            person["address.city"] = "Bern"
            try context.save()
            person["address.location.latitude"] = 46.9
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.property == "address.location.longitude")
            #expect(error?.code == .missingMandatoryProperty)
            person["address.location.longitude"] = 7.4
            person["address.city"] = "Bern an der Aare"
            #expect(throws: ValidationError.self) { try context.save() }
            person["address.city"] = "Bern"
            try context.save()
        }
    }

    @Test func `a mandatory composite attribute needs the value of one element`() throws {
        let book = try AddressBook(CompositeModel.make(addressIsOptional: false))
        try book.inContext { context throws in
            let person = try context.insert("Person")
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.property == "address" && error?.code == .missingMandatoryProperty)
            person["address.street"] = "Weg"
            try context.save()
            try person.setCompositeValue(nil, forKey: "address")
            #expect(throws: ValidationError.self) { try context.save() }
        }
    }

    @Test func `concurrent changes of different elements keep one address as a whole`() throws {
        let zone = Zone()
        let books = try (0..<2).map { _ in try AddressBook() }
        try books[0].inContext { context throws in
            try context.insert("Person").setCompositeValue(Self.bern, forKey: "address")
            try context.save()
        }
        for book in books { try zone.exchange(book.coordinator) }
        for (book, change) in zip(books, [("address.street", "Weg"), ("address.city", "Basel")]) {
            Thread.sleep(forTimeInterval: 0.002)
            try book.inContext { context throws in
                try context.addressees()[0].setValue(change.1, forKey: change.0)
                try context.save()
            }
        }
        for book in books + books { try zone.exchange(book.coordinator) }
        var expected = Self.bern
        expected["city"] = "Basel"
        for book in books {
            #expect(
                try book.inContext { try $0.addressees()[0].compositeValue(forKey: "address") }
                    == expected)
        }
        let conflicts = try books.map { try $0.coordinator.conflicts().count }
        #expect(conflicts == [1, 1], "the discarded address is in the journal")
    }

    @Test(arguments: TestLength.seeds(20))
    func `replicas merge random changes as the reference merge does, never half an address`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let zone = Zone()
        let books = try (0..<3).map { _ in try AddressBook() }
        for step in 0..<24 {
            let book = books[Int.random(in: 0..<3, using: &random)]
            if random.oneIn(3) { try zone.exchange(book.coordinator) }
            let choice = Int.random(in: 0..<6, using: &random)
            let place = Int.random(in: 0..<8, using: &random)
            try book.inContext { context throws in
                let people = try context.addressees()
                if choice == 0 || people.isEmpty {
                    _ = try context.insert("Person")
                } else {
                    let person = people[place % people.count]
                    switch choice {
                    case 1: context.delete(person)
                    case 2: try person.setCompositeValue(nil, forKey: "address")
                    default:
                        try person.setCompositeValue(
                            [
                                "number": .integer(Int64(step)), "city": .string("\(step)"),
                                "location.latitude": .double(Double(step)),
                                "location.longitude": .double(Double(step)),
                            ], forKey: "address")
                    }
                }
                try context.save()
            }
        }
        for book in books + books { try zone.exchange(book.coordinator) }
        var reference = ReferenceMerge()
        for set in zone.log { try reference.apply(set) }
        for book in books {
            #expect(try book.coordinator.canonicalHash() == reference.canonicalHash.description)
            try book.inContext { context throws in
                for person in try context.addressees() {
                    guard let address = try person.compositeValue(forKey: "address"),
                        case .integer(let step)? = address["number"]
                    else { continue }
                    #expect(address["city"] == .string("\(step)"))
                    #expect(address["location.longitude"] == .double(Double(step)))
                }
            }
        }
    }
}
