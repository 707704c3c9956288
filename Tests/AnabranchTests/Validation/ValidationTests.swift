import Anabranch
import AnabranchStore
import Foundation
import Testing

@Suite struct `Validation` {
    @Test(
        arguments: [
            ("name", .null, .missingMandatoryProperty), ("name", "x", .stringTooShort),
            ("name", "much too long", .stringTooLong), ("code", "abc", .patternMismatch),
            ("code", "ABCD", .patternMismatch), ("rank", 0, .numberTooSmall),
            ("rank", 100, .numberTooLarge), ("rating", 0.25, .numberTooSmall),
            ("rating", 5.5, .numberTooLarge), ("founded", .date(99), .dateTooSoon),
            ("founded", .date(201), .dateTooLate), ("founded", .date(.nan), .invalidDate),
            ("motto", "ABCD", nil), ("motto", "Bcd", .failedRule),
            ("shout", .null, .missingMandatoryProperty), ("rank", 99, nil), ("code", "ABC", nil),
        ] as [(String, PropertyValue, ValidationError.Code?)])
    func `every demand of a value has its code, at insertion and at change`(
        key: String, value: PropertyValue, code: ValidationError.Code?
    ) throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team()
            let right = try team.value(forKey: key)
            try team.setValue(value, forKey: key)
            var failures = context.failures()
            #expect(failures.map(\.code) == (code.map { [$0] } ?? []))
            guard code != nil else { return }
            #expect(failures[0].property == key && failures[0].objectID == team.objectID)
            #expect(!failures[0].reason.isEmpty)
            #expect(failures[0].message.contains(failures[0].reason))
            if !value.isNull { #expect("\(failures[0].value ?? .null)" == "\(value)") }
            try team.setValue(right, forKey: key)
            try context.save()
            try team.setValue(value, forKey: key)
            failures = context.failures()
            #expect(failures.map(\.code) == [code] && failures[0].objectID == team.objectID)
        }
    }

    @Test func `a value of another type is refused once, and its bounds are not asked`() throws {
        let league = try League()
        let failures = try league.failures { context in
            let team = try context.team()
            team[slot: 4] = "first"
        }
        #expect(failures.map(\.code) == [.wrongType] && failures[0].property == "rank")
    }

    @Test func `a rule that fails is reported with its predicate and its warning`() throws {
        let league = try League()
        let failures = try league.failures { try $0.team().motto = "Bo" }
        #expect(failures.map(\.code) == [.failedRule, .failedRule])
        #expect(
            failures.map(\.predicate?.predicateFormat) == ["length >= 3", "SELF MATCHES \"A.*\""])
        #expect(failures[0].reason == "A motto has three letters.")
        #expect(failures[0].message.hasSuffix(".motto: A motto has three letters."))
        #expect(failures[0].value == "Bo")
        #expect(failures[1].reason.contains("SELF MATCHES"))
    }

    @Test func `all failures come at once: deletions, insertions, changes, each by slot`() throws {
        let league = try League()
        try league.inContext { context throws in
            let (foxes, owls) = (try context.team("Foxes"), try context.team("Owls"))
            let ground = try context.insert("Ground")
            try ground.setObject(owls, forKey: "team")
            try context.save()
            foxes.rank = 0
            foxes.name = "x"
            let hawks = try context.team("Hawks", players: 1)
            hawks.motto = "A"
            hawks.rank = 100
            context.delete(owls)
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .multiple && error?.message.contains("6 problems") == true)
            let all = try #require(error?.all)
            #expect(
                all.map(\.objectID) == [owls, hawks, hawks, hawks, foxes, foxes].map(\.objectID))
            #expect(all.map(\.property) == ["ground", "motto", "rank", "players", "name", "rank"])
            #expect(all.first?.code == .deniedDelete)
        }
    }

    @Test func `two failures of two objects are one error with both, and no row is written`() throws
    {
        let league = try League()
        try league.inContext { context throws in
            let teams = [try context.team("x"), try context.team("y")]
            _ = try context.insert(Player.self)
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .multiple && error?.all.count == 2)
            #expect(Set(error?.all.map(\.objectID) ?? []) == Set(teams.map(\.objectID)))
            #expect(error?.all.allSatisfy { $0.property == "name" } == true)
        }
        #expect(try league.coordinator.history().isEmpty)
        try league.inContext { context throws in
            #expect(try context.count(for: FetchRequest<Player>()) == 0)
            #expect(try context.count(for: FetchRequest<Team>()) == 0)
        }
    }

    @Test func `an insertion validates all properties, an update those that were set`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team()
            try context.save()
            var asked: [String] = []
            let hawks = try context.team("Hawks")
            hawks.onValue = { asked.append($1) }
            try context.save()
            #expect(asked.sorted() == Team.slotNames.sorted())
            asked = []
            team.onValue = { asked.append($1) }
            team.rank = 3
            try context.save()
            #expect(asked == ["rank"])
            team.motto = "ABC"
            team.players.insert(try context.insert(Player.self))
            asked = []
            try context.save()
            #expect(asked == ["motto", "players"])
        }
    }

    @Test func `a mandatory transient value is asked for where it was set`()
        throws
    {
        let league = try League()
        try league.inContext { context throws in
            try context.team()
            try context.save()
        }
        try league.inContext { context throws in
            let team = try #require(try context.fetch(FetchRequest<Team>()).first)
            #expect(try team.value(forKey: "shout") == "Go")
            team.rank = 4
            try context.save()
            team["shout"] = "Up"
            team["shout"] = .null
            #expect(context.failures().map(\.property) == ["shout"])
        }
    }

    @Test func `a failed validation keeps all that is pending, and the save may be repeated`()
        throws
    {
        let league = try League()
        try league.inContext { context throws in
            let (foxes, owls) = (try context.team("Foxes"), try context.team("Owls"))
            try context.save()
            foxes.rank = 100
            context.delete(owls)
            let hawks = try context.team("Hawks")
            #expect(context.failures().count == 1)
            #expect(context.failures().count == 1)
            #expect(context.updatedObjects.contains(foxes) && context.deletedObjects == [owls])
            #expect(context.insertedObjects.contains(hawks))
            foxes.rank = 9
            try context.save()
            #expect(!context.hasChanges)
        }
        try league.inContext { context throws in
            let teams = try context.fetch(FetchRequest<Team>())
            #expect(Set(teams.map(\.name)) == ["Foxes", "Hawks"])
        }
    }

    @Test func `an object may be asked at any time`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team("x", players: 0)
            let error = #expect(throws: ValidationError.self) { try team.validateForInsert() }
            #expect(error?.all.map(\.property) == ["name", "players"])
            var value: PropertyValue = "Owls"
            try team.validateValue(&value, forKey: "name")
            #expect(team.name == "x" && context.hasChanges)
            value = 3.0
            try team.validateValue(&value, forKey: "rank")
            #expect(value == 3, "The value has the attribute's type.")
            value = .null
            let missing = #expect(throws: ValidationError.self) {
                try team.validateValue(&value, forKey: "name")
            }
            #expect(missing?.code == .missingMandatoryProperty)
            #expect(throws: PropertyError.self) { try team.validateValue(&value, forKey: "nam") }
        }
    }

    @Test func `the destination of a to-one can be asked`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team()
            let (child, adult) = (try context.insert(Player.self), try context.insert(Player.self))
            child.age = 12
            try context.save()
            var value = PropertyValue.reference(try adult.objectID.recordID)
            try team.validateValue(&value, forKey: "captain")
            value = .reference(try child.objectID.recordID)
            let error = #expect(throws: ValidationError.self) {
                try team.validateValue(&value, forKey: "captain")
            }
            #expect(error?.code == .failedRule && error?.reason == "A captain is of age.")
            value = 7
            let wrong = #expect(throws: ValidationError.self) {
                try team.validateValue(&value, forKey: "captain")
            }
            #expect(wrong?.code == .wrongType)
            let ground = try context.insert("Ground")
            value = .null
            #expect(throws: ValidationError.self) {
                try ground.validateValue(&value, forKey: "team")
            }
            team.captain = child
            #expect(context.failures().map(\.reason).contains("A captain is of age."))
        }
    }

    @Test func `a sub-entity has the validation rules of the entity above it`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Thing", isAbstract: true) {
                AttributeDeclaration(
                    "size", .integer16, maximum: 9, validations: [.init("SELF != 4")])
                RelationshipDeclaration(
                    "next", to: "Thing", inverse: "earlier", validations: [.init("size > 1")])
                RelationshipDeclaration(
                    "earlier", toMany: "Thing", maxCount: 2, inverse: "next",
                    validations: [.init("ANY size > 5")])
            }
            EntityDeclaration("Box", parent: "Thing") {
                AttributeDeclaration("lid", .string, optional: false)
            }
        }
        let failures = try League(model).failures { context in
            let box = try context.insert("Box")
            box["size"] = 4
            let other = try context.insert("Box")
            other["lid"] = "flat"
            other["size"] = 1
            try box.setObject(other, forKey: "next")
        }
        #expect(failures.map(\.property) == ["size", "next", "lid", "earlier"])
        #expect(
            failures.map(\.code)
                == [.failedRule, .failedRule, .missingMandatoryProperty, .failedRule])
    }

    @Test func `an object without a context can't be asked`() throws {
        let league = try League()
        try league.inContext { context throws in
            let player = try context.insert(Player.self)
            context.reset()
            let error = #expect(throws: PropertyError.self) { try player.validateForInsert() }
            #expect(error?.code == .inaccessible)
        }
    }
}
