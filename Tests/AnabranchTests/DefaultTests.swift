import Anabranch
import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// A store that is opened with one model after the other.
private final class Shelf: Sendable {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("defaults") }

    func open(_ model: ManagedObjectModel) throws -> PersistentContainer {
        let container = PersistentContainer(
            model: model, classes: [], url: URL(filePath: directory.file("things.anabranch")))
        try container.load()
        return container
    }
}

extension PersistentContainer {
    fileprivate func inContext<T>(
        _ body: (ManagedObjectContext) throws -> sending T
    ) throws -> sending T {
        try newBackgroundContext().performAndWait(body)
    }
}

extension ManagedObjectContext {
    fileprivate func things(_ format: String? = nil) throws -> [ManagedObject] {
        var request = FetchRequest<ManagedObject>(entityName: "Thing")
        request.predicate = try format.map { try FetchPredicate($0) }
        request.sorts = [FetchSort("name")]
        return try fetch(request)
    }
}

/// Tests of the values of new objects: what a save stores is what the object shows.
@Suite struct `Values of a new object` {
    private let shelf: Shelf

    init() throws { shelf = try Shelf() }

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Thing") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("plain", .string, default: "p")
                AttributeDeclaration("born", .string, default: "b", mergeRule: .firstWriter)
                AttributeDeclaration("best", .integer64, default: 3, mergeRule: .max)
                AttributeDeclaration("memo", .string, default: "m", mergeRule: .keepBoth)
                AttributeDeclaration("votes", .integer64, default: 2, mergeRule: .counter)
                AttributeDeclaration("low", .integer64, default: 1)
                AttributeDeclaration("high", .integer64, default: 9)
                AttributeGroup("range", "low", "high")
                CompositeAttribute("place", optional: false) {
                    AttributeDeclaration("city", .string)
                    AttributeDeclaration("country", .string, default: "CH")
                    CompositeAttribute("point", optional: false) {
                        AttributeDeclaration("x", .double, default: 1)
                        AttributeDeclaration("y", .double, default: 2)
                    }
                }
            }
        }
    }

    private static let names = [
        "plain", "born", "best", "memo", "votes", "low", "high", "place.country", "place.point.x",
    ]

    @Test func `nil that was set before the first save is stored as nil`() throws {
        let container = try shelf.open(Self.model())
        try container.inContext { context in
            let thing = try context.insert("Thing")
            for name in Self.names {
                #expect(thing[name] != .null, "\(name)")
                thing[name] = .null
            }
            thing["place.city"] = "Bern"
            let other = try context.insert("Thing")
            other["name"] = "default"
            let half = try context.insert("Thing")
            half["name"] = "half"
            (half["low"], half["place.point.x"]) = (.null, .null)
            try context.save()
        }
        for _ in 0..<2 {
            try container.inContext { context in
                let things = try context.things()
                for name in Self.names { #expect(things[0][name] == .null, "\(name)") }
                #expect(try context.things("low == nil AND high == nil AND born == nil").count == 1)
                #expect(things[1]["low"] == 1 && things[1]["born"] == "b")
                #expect(things[1]["place.country"] == "CH" && things[1]["place.point.y"] == 2.0)
                #expect(things[2]["low"] == .null && things[2]["high"] == 9)
                #expect(things[2]["place.point.x"] == .null && things[2]["place.point.y"] == 2.0)
            }
        }
        #expect(try container.coordinator.checkFile().isValid)
    }

    @Test func `nil is nil on another replica too, and later defaults do not change it`() throws {
        func model(_ low: Int64?, _ later: Int64?) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                EntityDeclaration("Thing") {
                    AttributeDeclaration("name", .string)
                    AttributeDeclaration(
                        "plain", .integer64, default: low.map(PropertyValue.integer))
                    AttributeDeclaration("low", .integer64, default: low.map(PropertyValue.integer))
                    AttributeDeclaration(
                        "high", .integer64, default: later.map(PropertyValue.integer))
                    AttributeGroup("range", "low", "high")
                }
            }
        }
        let zone = Zone()
        let container = try shelf.open(model(1, nil))
        try container.inContext { context in
            let thing = try context.insert("Thing")
            (thing["name"], thing["low"], thing["plain"]) = ("A", .null, .null)
            try context.insert("Thing")["name"] = "B"
            try context.save()
        }
        try zone.exchange(container.coordinator)
        container.coordinator.close()
        let far = try Shelf()
        let others = [try far.open(model(5, 6)), try shelf.open(model(5, 6))]
        for other in others {
            try zone.exchange(other.coordinator)
            let shown = try other.inContext { context in
                try context.things().map { [$0["plain"], $0["low"], $0["high"]] }
            }
            #expect(shown == [[.null, .null, .null], [1, 1, .null]])
        }
        #expect(try others[0].coordinator.canonicalHash() == others[1].coordinator.canonicalHash())
    }

    @Test func `a first writer that nobody has written can still be written`() throws {
        let container = try shelf.open(
            ManagedObjectModel {
                EntityDeclaration("Thing") {
                    AttributeDeclaration("name", .string)
                    AttributeDeclaration("born", .string, mergeRule: .firstWriter)
                }
            })
        try container.inContext { context in
            let thing = try context.insert("Thing")
            try context.save()
            thing["born"] = "now"
            try context.save()
            #expect(try context.things("born == 'now'").count == 1)
        }
    }
}

/// Tests of the defaults of a composite attribute's elements.
@Suite struct `Defaults of elements` {
    private let shelf: Shelf

    init() throws { shelf = try Shelf() }

    /// - Parameter isMandatory: True if a country must be there, and the whole place.
    private static func model(
        hasPlace: Bool = true, isMandatory: Bool = false, country: PropertyValue = "CH"
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Thing") {
                AttributeDeclaration("name", .string)
                if hasPlace {
                    CompositeAttribute("place", optional: !isMandatory) {
                        AttributeDeclaration(
                            "city", .string, optional: false, default: isMandatory ? "?" : nil)
                        AttributeDeclaration("country", .string, default: country)
                        CompositeAttribute("point") {
                            AttributeDeclaration("x", .double, optional: false)
                            AttributeDeclaration("z", .double, default: 0)
                        }
                        CompositeAttribute("unit", optional: false) {
                            AttributeDeclaration("name", .string, default: "m")
                        }
                    }
                }
            }
        }
    }

    @Test func `a new object has no value of an optional composite attribute`() throws {
        let container = try shelf.open(Self.model())
        try container.inContext { context in
            let thing = try context.insert("Thing")
            #expect(try thing.compositeValue(forKey: "place") == nil)
            try context.save()
            try context.refresh(thing, mergeChanges: false)
            #expect(try thing.compositeValue(forKey: "place") == nil)
            #expect(try context.things("place.country == nil").count == 1)
        }
    }

    @Test func `they count once one element is set by its name`() throws {
        let container = try shelf.open(Self.model())
        try container.inContext { context in
            let thing = try context.insert("Thing")
            thing["place.city"] = "Bern"
            let shown: [String: PropertyValue] = [
                "city": "Bern", "country": "CH", "point.x": .null, "point.z": .null,
                "unit.name": "m",
            ]
            #expect(try thing.compositeValue(forKey: "place") == shown)
            thing["place.point.x"] = 5
            #expect(thing["place.point.z"] == 0.0)
            // An element that the app has set stays as it is.
            let other = try context.insert("Thing")
            other["place.country"] = .null
            #expect(try other.compositeValue(forKey: "place") == nil)
            other["place.city"] = "Rom"
            #expect(other["place.country"] == .null && other["place.unit.name"] == "m")
            // The elements that a dictionary lacks get no value.
            let third = try context.insert("Thing")
            try third.setCompositeValue(["city": "Wien", "unit.name": "km"], forKey: "place")
            #expect(third["place.country"] == .null && third["place.unit.name"] == "km")
            try context.save()
            // The first save is over, so setting an element again gives defaults again.
            try third.setCompositeValue(nil, forKey: "place")
            try context.save()
            third["place.city"] = "Graz"
            #expect(third["place.country"] == "CH")
            try context.save()
        }
        let countries = try container.inContext { context in
            try context.things().map { $0["place.country"] }
        }
        #expect(Set(countries) == ["CH", .null] && countries.count == 3)
    }

    @Test func `a composite attribute that a migration adds does not show in old rows`() throws {
        let first = try shelf.open(Self.model(hasPlace: false))
        try first.inContext { context in
            try context.insert("Thing")["name"] = "old"
            try context.save()
        }
        first.coordinator.close()
        let second = try shelf.open(Self.model())
        try second.inContext { context in
            let thing = try #require(try context.things().first)
            #expect(try thing.compositeValue(forKey: "place") == nil)
            thing["name"] = "new"
            try context.save()
            thing["place.city"] = "Bern"
            try context.save()
            #expect(try context.things("place.country == 'CH'").count == 1)
        }
        second.coordinator.close()
        let third = try shelf.open(Self.model(country: "DE"))
        let country = try third.inContext { try $0.things()[0]["place.country"] }
        #expect(country == "CH", "a written default stays")
    }

    @Test func `one that becomes mandatory shows the defaults of its elements`() throws {
        let first = try shelf.open(Self.model())
        try first.inContext { context in
            for name in ["a", "b"] { try context.insert("Thing")["name"] = .string(name) }
            let thing = try context.things()[1]
            thing["place.city"] = "Bern"
            try context.save()
            thing["place.country"] = .null
            try context.save()
        }
        let hash = try first.coordinator.canonicalHash()
        first.coordinator.close()
        let second = try shelf.open(Self.model(isMandatory: true))
        #expect(try second.coordinator.canonicalHash() == hash)
        try second.inContext { context in
            let things = try context.things()
            #expect(things[0]["place.city"] == "?" && things[0]["place.country"] == "CH")
            #expect(things[0]["place.unit.name"] == "m" && things[0]["place.point.z"] == .null)
            #expect(things[1]["place.city"] == "Bern" && things[1]["place.country"] == .null)
            #expect(try context.things("place.city == '?'").count == 1)
            things[0]["name"] = "edited"
            try context.save()
        }
        #expect(try second.coordinator.checkFile().isValid)
        second.coordinator.close()
        let third = try shelf.open(Self.model())
        try third.inContext { context in
            let thing = try context.things()[1]
            #expect(try thing.compositeValue(forKey: "place") == nil)
        }
    }
}

extension `Defaults of elements` {
    private static func place(
        isMandatory: Bool, default value: PropertyValue? = nil
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Thing") {
                AttributeDeclaration("name", .string)
                CompositeAttribute("place") {
                    AttributeDeclaration("city", .string)
                    CompositeAttribute("point") {
                        AttributeDeclaration("x", .integer64)
                        AttributeDeclaration(
                            "y", .integer64, optional: !isMandatory, default: value)
                    }
                }
            }
        }
    }

    @Test func `an element that becomes mandatory needs a default, which shows in place of nil`()
        throws
    {
        let shelf = try Shelf()
        let first = try shelf.open(Self.place(isMandatory: false))
        try first.inContext { context in
            for (name, x) in [("a", PropertyValue.integer(1)), ("b", .null)] {
                let thing = try context.insert("Thing")
                (thing["name"], thing["place.city"]) = (.string(name), "Bern")
                thing["place.point.x"] = x
            }
            try context.save()
        }
        let hash = try first.coordinator.canonicalHash()
        first.coordinator.close()
        let error = #expect(throws: StoreError.self) {
            try shelf.open(Self.place(isMandatory: true))
        }
        #expect(error?.code == .migrationNotInferred && error?.property == "place.point.y")
        let second = try shelf.open(Self.place(isMandatory: true, default: 5))
        #expect(try second.coordinator.canonicalHash() == hash)
        try second.inContext { context in
            let things = try context.things()
            #expect(things.map { $0["place.point.y"] } == [5, .null])
            for thing in things { thing["place.city"] = "Basel" }
            try context.save()
        }
    }
}

/// Tests of attributes that the next version of a model makes mandatory.
@Suite struct `An object with an attribute that became mandatory` {
    private static func model(
        _ isMandatory: Bool, _ value: Int64 = 9
    ) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Thing") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration(
                    "rank", .integer64, optional: !isMandatory,
                    default: isMandatory ? .integer(value) : nil)
                AttributeDeclaration("from", .integer64, optional: !isMandatory, default: 1)
                AttributeDeclaration("to", .integer64)
                AttributeGroup("span", "from", "to")
            }
        }
    }

    @Test func `shows the default, is found by it and can be edited`() throws {
        let shelf = try Shelf()
        let first = try shelf.open(Self.model(false))
        try first.inContext { context in
            let thing = try context.insert("Thing")
            (thing["name"], thing["from"], thing["to"]) = ("old", .null, 4)
            try context.save()
        }
        let hash = try first.coordinator.canonicalHash()
        first.coordinator.close()
        let second = try shelf.open(Self.model(true))
        #expect(try second.coordinator.canonicalHash() == hash)
        try second.inContext { context in
            let thing = try #require(try context.things("rank == 9 AND from == 1").first)
            let rank: Int64 = try thing.value(forKey: "rank")
            #expect(rank == 9 && thing["from"] == 1 && thing["to"] == 4)
            thing["name"] = "a"
            try context.save()
            try context.insert("Thing")["name"] = "b"
            try context.save()
        }
        second.coordinator.close()
        // The default that the second version wrote stays; the one that it only showed does not.
        let third = try shelf.open(Self.model(true, 10))
        let ranks = try third.inContext { try $0.things().map { $0["rank"] } }
        #expect(ranks == [10, 9])
        third.coordinator.close()
        let fourth = try shelf.open(Self.model(false))
        let shown = try fourth.inContext { try $0.things().map { [$0["rank"], $0["from"]] } }
        #expect(shown == [[.null, .null], [9, 1]])
    }
}
