import Anabranch
import Foundation
import Testing

@Suite struct `The order of a save` {
    @Test func `hooks, then validation, then the write, then what follows it`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team()
            try context.save()
            let log = Steps()
            let observers = observe(context, log)
            defer { observers.forEach(NotificationCenter.default.removeObserver) }
            team.calls = []
            team.onSave = { _ in log.add("willSave") }
            team.onUpdate = { [league] _ in
                log.add("validate, \(try league.coordinator.history().count) saves")
            }
            team.rank = 5
            try context.save()
            #expect(
                log.steps == [
                    "changed", "context will save", "willSave", "validate, 1 saves",
                    "context did save, 2 saves, did", "context did save IDs",
                ])
            #expect(team.calls == ["will", "update", "did"])
        }
    }

    private final class Steps: @unchecked Sendable {
        private(set) var steps: [String] = []
        func add(_ step: String) { steps.append(step) }
    }

    private func observe(
        _ context: ManagedObjectContext, _ log: Steps
    ) -> [any NSObjectProtocol] {
        let coordinator = context.coordinator
        func observer(
            _ name: Notification.Name, _ step: @escaping @Sendable () -> String
        ) -> any NSObjectProtocol {
            NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
                _ in log.add(step())
            }
        }
        nonisolated(unsafe) let context = context
        return [
            observer(ManagedObjectContext.objectsDidChange) { "changed" },
            observer(ManagedObjectContext.willSave) { "context will save" },
            observer(ManagedObjectContext.didSave) {
                let team = context.registeredObjects.lazy.compactMap { $0 as? Team }.first
                let count = (try? coordinator.history().count) ?? 0
                return "context did save, \(count) saves, \(team?.calls.last ?? "")"
            },
            observer(ManagedObjectContext.didSaveObjectIDs) { "context did save IDs" },
        ]
    }

    @Test func `deletions are followed before any hook is called`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team(players: 3)
            try context.save()
            var counts: [Int] = []
            team.calls = []
            team.onSave = { counts.append($0.players.count) }
            context.delete(try #require(team.players.objects.first))
            try context.save()
            #expect(counts == [2] && team.calls == ["will", "update", "did"])
        }
    }

    @Test func `deleted objects are asked first, then inserted ones, then updated ones`() throws {
        let league = try League()
        try league.inContext { context throws in
            let (foxes, owls) = (try context.team("Foxes"), try context.team("Owls"))
            try context.save()
            var order: [String] = []
            let note: (Team) -> Void = { order.append($0.name ?? "") }
            foxes.rank = 2
            let hawks = try context.team("Hawks")
            context.delete(owls)
            foxes.onUpdate = note
            owls.onDelete = note
            hawks.onInsert = {
                note($0)
                try $0.checkAsTeam()
            }
            try context.save()
            #expect(order == ["Owls", "Hawks", "Foxes"])
        }
    }

    @Test func `old and new values can be read in willSave`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team("Foxes")
            try context.save()
            team.name = "Owls"
            var seen: [PropertyValue] = []
            team.onSave = { team in
                let committed = try? team.committedValues(forKeys: ["name"])
                let changed = try? team.changedValues()
                seen = [committed?["name"] ?? .null, changed?["name"] ?? .null]
            }
            try context.save()
            #expect(seen == ["Foxes", "Owls"])
        }
    }

    @Test func `a save without remaining changes does nothing`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.insert(Team.self)
            context.delete(team)
            try context.save()
            #expect(team.calls.isEmpty && !context.hasChanges)
        }
        #expect(try league.coordinator.history().isEmpty)
    }

    @Test func `after a failed write all is pending, and each didSave comes once`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team()
            try context.save()
            try league.inContext { other throws in
                try other.fetch(FetchRequest<Team>()).first?.rank = 1
                try other.save()
            }
            team.calls = []
            team.rank = 2
            #expect(throws: SaveConflictError.self) { try context.save() }
            #expect(team.calls == ["will", "update"] && team.isUpdated)
            try context.refresh(team, mergeChanges: true)
            try context.save()
            #expect(team.calls == ["will", "update", "will", "update", "did"])
        }
    }
}
