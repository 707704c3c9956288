import Anabranch
import AnabranchSQLite
import AnabranchStore
import Foundation
import Testing

@Suite struct `Counts of relationships` {
    @Test(
        arguments: [
            (0, [.tooFewObjects]), (1, [.tooFewObjects]), (2, []), (3, []), (4, [.tooManyObjects]),
        ] as [(Int, [ValidationError.Code])])
    func `a mandatory relationship has no fewer and no more`(
        players: Int, codes: [ValidationError.Code]
    ) throws {
        let failures = try League().failures { try $0.team(players: players) }
        #expect(failures.map(\.code) == codes)
        #expect(failures.allSatisfy { $0.property == "players" })
    }

    @Test(
        arguments: [
            (0, []), (1, [.tooFewObjects]), (2, []), (3, []), (4, [.tooManyObjects]),
        ] as [(Int, [ValidationError.Code])])
    func `an optional one may also be empty`(fans: Int, codes: [ValidationError.Code]) throws {
        let failures = try League().failures { context in
            let team = try context.team()
            for _ in 0..<fans { team.fans.insert(try context.insert("Fan")) }
        }
        #expect(failures.map(\.code) == codes)
        #expect(failures.allSatisfy { $0.property == "fans" })
    }

    @Test func `a mandatory to-many without a least count is not empty`() throws {
        let failures = try League().failures { _ = try $0.insert("Fan") }
        #expect(failures.map(\.code) == [.missingMandatoryProperty])
        #expect(failures.first?.property == "teams")
    }

    @Test func `a relationship that has changed is counted, read or not`() throws {
        let league = try League()
        try league.inContext { context throws in
            try context.team(players: 3)
            try context.save()
        }
        try league.inContext { context throws in
            let team = try #require(try context.fetch(FetchRequest<Team>()).first)
            for player in try context.fetch(FetchRequest<Player>()).prefix(2) { player.team = nil }
            let failures = context.failures()
            #expect(failures.map(\.code) == [.tooFewObjects])
            #expect(failures.first?.objectID == team.objectID)
            #expect(failures.first?.reason == "it has 1 objects and needs 2")
        }
    }

    @Test func `deleting a member leaves too few, even if its owner was not read`() throws {
        let league = try League()
        try league.inContext { context throws in
            try context.team()
            try context.save()
        }
        try league.inContext { context throws in
            context.delete(try #require(try context.fetch(FetchRequest<Player>()).first))
            let failures = context.failures()
            #expect(failures.map(\.code) == [.tooFewObjects] && failures.first?.entity == "Team")
            let team = try #require(try context.fetch(FetchRequest<Team>()).first)
            team.players.insert(try context.insert(Player.self))
            try context.save()
            #expect(team.players.count == 2)
        }
    }

    @Test func `owner and members may go together`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team()
            try context.save()
            for player in team.players { context.delete(player) }
            context.delete(team)
            try context.save()
        }
    }

    @Test func `members that are counted are read at once for all owners`() throws {
        let league = try League()
        try league.inContext { context throws in
            for number in 0..<20 { try context.team("T\(number)", players: 3) }
            try context.save()
        }
        try league.inContext { context throws in
            let players = try context.fetch(FetchRequest<Player>())
            for number in stride(from: 0, to: players.count, by: 3) { players[number].team = nil }
            context.processPendingChanges()
            let before = league.coordinator.store.readStatistics.selects
            try context.save()
            #expect(league.coordinator.store.readStatistics.selects - before < 5)
        }
    }

    @Test func `a rule of a to-many sees all members`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team()
            try context.save()
            let child = try context.insert(Player.self)
            child.age = 9
            child.team = team
            let failures = context.failures()
            #expect(failures.map(\.code) == [.failedRule])
            #expect(failures.first?.reason == "No child plays.")
            #expect(failures.first?.property == "players")
            child.age = 16
            try context.save()
        }
    }

    @Test func `a mandatory to-one that the other end keeps is asked`() throws {
        let league = try League()
        try league.inContext { context throws in
            let ground = try context.insert("Ground")
            #expect(context.failures().map(\.property) == ["team"])
            try ground.setObject(try context.team(), forKey: "team")
            try context.save()
            try ground.setObject(nil, forKey: "team")
            #expect(context.failures().map(\.code) == [.missingMandatoryProperty])
        }
    }
}

@Suite struct `Denied deletions` {
    private func pair(_ context: ManagedObjectContext) throws -> (Team, ManagedObject) {
        let team = try context.team()
        let ground = try context.insert("Ground")
        try ground.setObject(team, forKey: "team")
        try context.save()
        return (team, ground)
    }

    @Test func `two that deny each other go together and not alone`() throws {
        let league = try League()
        try league.inContext { context throws in
            let (team, ground) = try pair(context)
            context.delete(ground)
            #expect(context.failures().map(\.property) == ["team"])
            #expect(ground.isDeleted && context.deletedObjects == [ground])
            context.rollback()
            context.delete(team)
            #expect(context.failures().map(\.code).contains(.deniedDelete))
            context.delete(ground)
            try context.save()
            #expect(!context.hasChanges)
        }
        try league.inContext { context throws in
            #expect(try context.count(for: FetchRequest<Team>()) == 0)
        }
    }

    @Test func `an unsaved object that is deleted again denies no deletion`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team()
            try context.save()
            let ground = try context.insert("Ground")
            try ground.setObject(team, forKey: "team")
            context.delete(team)
            #expect(context.failures().map(\.code).contains(.deniedDelete))
            context.delete(ground)
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test func `an object may be asked whether it can go`() throws {
        let league = try League()
        try league.inContext { context throws in
            let (team, ground) = try pair(context)
            #expect(throws: ValidationError.self) { try ground.validateForDelete() }
            context.delete(team)
            try ground.validateForDelete()
            context.rollback()
            #expect(throws: ValidationError.self) { try ground.validateForDelete() }
        }
    }
}
