import AnabranchReplication
import Foundation
import Testing

@testable import Anabranch

@Suite struct `Validation hooks` {
    private struct Rejected: Error, CustomStringConvertible {
        var description: String { "The league is full." }
    }

    @Test func `an error of the app becomes a failure with the object and keeps the error`() throws
    {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team()
            team.onInsert = { _ in throw Rejected() }
            let failures = context.failures()
            #expect(failures.map(\.code) == [.refused])
            #expect(failures.first?.objectID == team.objectID)
            #expect(failures.first?.underlying is Rejected)
            #expect(failures.first?.reason == "The league is full.")
            team.onInsert = { try $0.checkAsTeam() }
            try context.save()
            team.onUpdate = { _ in throw ValidationError("Not now.", property: "rank") }
            team.rank = 5
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .refused && error?.property == "rank")
            #expect(error?.objectID == team.objectID && error?.underlying == nil)
            #expect(error?.message.hasSuffix(".rank: Not now.") == true)
            team.onUpdate = { _ in }
            team.onDelete = { _ in throw ValidationError("Never.") }
            context.delete(team)
            #expect(context.failures().map(\.message).last?.hasPrefix("Can't delete") == true)
        }
    }

    @Test func `the model's failures come first, and once, whatever an override does`() throws {
        let league = try League()
        func reasons(_ hook: @escaping (Team) throws -> Void) throws -> [ValidationError.Code] {
            try league.failures { context in
                let team = try context.team("x")
                team.onInsert = hook
            }.map(\.code)
        }
        #expect(try reasons { try $0.checkAsTeam() } == [.stringTooShort])
        #expect(try reasons { _ in } == [.stringTooShort])
        #expect(try reasons { try? $0.checkAsTeam() } == [.stringTooShort])
        #expect(
            try reasons { _ in throw ValidationError("No.") } == [.stringTooShort, .refused])
        #expect(
            try reasons { team in
                var failures = [ValidationError("No."), ValidationError("Never.")]
                do {
                    try team.checkAsTeam()
                } catch let error as ValidationError {
                    failures.append(error)
                }
                throw try #require(ValidationError(failures))
            } == [.stringTooShort, .refused, .refused])
    }

    @Test func `a value that validation replaces is saved`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team(" Owls ")
            team.onValue = { value, key in
                if key == "name", case .string(let name) = value {
                    value = .string(name.trimmingCharacters(in: .whitespaces))
                }
            }
            try context.save()
            #expect(team.name == "Owls" && !context.hasChanges)
            #expect(
                team.calls == ["will", "insert", "insert", "did"], "Asked again of the change.")
            team.name = " Foxes"
            try context.save()
        }
        try league.inContext { context throws in
            #expect(try context.fetch(FetchRequest<Team>()).map(\.name) == ["Foxes"])
        }
    }

    @Test func `a replacement of another type is brought to the attribute's, and rests`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team()
            team.onValue = { value, key in
                if key == "rank" { value = .double(2) }
                if key == "rating" { value = .integer(3) }
            }
            try context.save()
            #expect(team["rank"] == .integer(2) && team["rating"] == .double(3))
            #expect(team.calls == ["will", "insert", "insert", "did"])
            team.rank = 7
            try context.save()
            #expect(team["rank"] == .integer(2) && !context.hasChanges)
        }
    }

    @Test func `a replaced value is checked by the model`() throws {
        let league = try League()
        let failures = try league.failures { context in
            let team = try context.team()
            team.onValue = { value, key in if key == "rank" { value = 1000 } }
        }
        #expect(failures.map(\.code) == [.numberTooLarge])
        let foreign = try league.failures { context in
            let team = try context.team()
            team.onValue = { value, key in if key == "captain" { value = 3 } }
        }
        #expect(foreign.first?.property == "captain")
    }

    @Test func `a key's own check adds to the model's`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team("x")
            team.onValue = { value, key in
                if key == "name" { throw ValidationError("Taken.") }
                if key == "rank" { throw Rejected() }
            }
            let failures = context.failures()
            #expect(failures.map(\.code) == [.stringTooShort, .refused, .refused])
            #expect(failures.map(\.property) == ["name", "name", "rank"])
            #expect(failures.last?.underlying is Rejected)
        }
    }

    @Test func `an object that another object's validation changes is validated too`() throws {
        let league = try League()
        try league.inContext { context throws in
            let (foxes, owls) = (try context.team("Foxes"), try context.team("Owls"))
            try context.save()
            owls.calls = []
            foxes.onUpdate = { _ in if owls.rank == nil { owls.rank = 100 } }
            foxes.rank = 1
            let failures = context.failures()
            #expect(failures.map(\.objectID) == [owls.objectID])
            #expect(owls.calls == ["update"])
            foxes.onUpdate = { _ in owls.rank = 2 }
            owls.rank = 2
            foxes.onUpdate = { _ in }
            try context.save()
            #expect(owls.rank == 2)
        }
    }

    @Test func `a failure that the validation itself mends is none`() throws {
        let league = try League()
        try league.inContext { context throws in
            let (foxes, owls) = (try context.team("Foxes"), try context.team("x"))
            owls.calls = []
            foxes.onInsert = { foxes in
                try foxes.checkAsTeam()
                if owls.calls.contains("insert") { owls.name = "Owls" }
            }
            foxes.rank = 1
            owls.onInsert = { owls in
                if owls.name == "x" { foxes.rank = 2 }
                try owls.checkAsTeam()
            }
            try context.save()
            #expect(owls.name == "Owls")
        }
    }

    @Test func `a validation that never rests is an error`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team()
            try context.save()
            team.onUpdate = { $0.rank = $0.rank == 1 ? 2 : 1 }
            team.name = "Owls"
            let error = #expect(throws: PropertyError.self) { try context.save() }
            #expect(error?.code == .endlessChanges && error?.objectID == team.objectID)
            #expect(context.hasChanges)
        }
    }

    @Test func `objects that validation makes or deletes are part of the save`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team()
            var made = 0
            team.onInsert = { team in
                if made < 1 {
                    made += 1
                    try context.insert(Player.self).team = team
                }
                try team.checkAsTeam()
            }
            try context.save()
            #expect(try context.count(for: FetchRequest<Player>()) == 3)
            team.onUpdate = { team in
                if team.players.count > 2, let last = team.players.objects.last {
                    context.delete(last)
                }
            }
            team.rank = 3
            try context.save()
            #expect(!context.hasChanges && team.players.count == 2)
        }
    }

    @Test func `a change by a validation after a merge policy is validated again`() throws {
        let league = try League()
        try league.inContext { context throws in
            context.mergePolicy = .mergeByPropertyObjectTrump
            let team = try context.team()
            try context.save()
            try league.inContext { other throws in
                try #require(try other.fetch(FetchRequest<Team>()).first).rank = 5
                try other.save()
            }
            team.rank = 4
            var count = 0
            team.onUpdate = { team in
                count += 1
                if count == 2 { team.rank = 1000 }
            }
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .numberTooLarge && team.rank == 4)
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test func `a class below inherits the checks of values, and may add its own`() throws {
        let classes: [(Team.Type, [String])] = [
            (LocalTeam.self, ["rank"]), (StrictTeam.self, ["name", "rank"]),
        ]
        for (type, properties) in classes {
            let league = try League(try TeamModel.make(), classes: [type, Player.self])
            let failures = try league.failures { context in
                let team = try context.insert(type)
                team.name = "Foxes"
                for _ in 0..<2 { try context.insert(Player.self).team = team }
                team.onValue = { _, key in if key == "rank" { throw Rejected() } }
            }
            #expect(failures.map(\.property) == properties)
        }
    }

    @Test func `a value that is only asked about is checked by the class, then by the model`()
        throws
    {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team()
            team.onValue = { value, key in
                // The value has the attribute's type already.
                if key == "rank" { value = value == 3 ? 1000 : 4 }
            }
            var value: PropertyValue = 3.0
            let error = #expect(throws: ValidationError.self) {
                try team.validateValue(&value, forKey: "rank")
            }
            #expect(error?.code == .numberTooLarge)
            value = 5
            try team.validateValue(&value, forKey: "rank")
            #expect(value == 4)
            team.onValue = { _, _ in throw Rejected() }
            #expect(throws: Rejected.self) { try team.validateValue(&value, forKey: "rank") }
        }
    }
}

private final class LocalTeam: Team {}

private final class StrictTeam: Team {
    override func checkValue(_ value: inout PropertyValue, forKey key: String) throws {
        if key == "name" { throw ValidationError("Taken.") }
        try super.checkValue(&value, forKey: key)
    }
}
