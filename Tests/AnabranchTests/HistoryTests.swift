import Anabranch
import Foundation
import Testing

@Suite struct `History` {
    @Test func `every save is a transaction with its changes`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            context.transactionAuthor = "importer"
            context.name = "first"
            let people = try (0..<3).map { try context.person("p\($0)") }
            try context.save()
            context.transactionAuthor = "user"
            people[0].age = 1
            people[0].lastName = "L"
            let group = try context.insert(Group.self)
            group.members.insert(people[1])
            context.delete(people[2])
            try context.save()
            let history = try context.coordinator.history()
            #expect(history.map(\.author) == ["importer", "user"])
            #expect(history.map(\.contextName) == ["first", "first"])
            #expect(history.map(\.dot?.sequence) == [1, 2])
            #expect(abs(history[0].date.timeIntervalSinceNow) < 60)
            #expect(history[0].timestamp < history[1].timestamp)
            #expect(Set(history[0].changes.map(\.kind)) == [.insert])
            #expect(history[0].changes.count == 3)
            let changes = history[1].changes
            #expect(changes.first { $0.kind == .insert }?.objectID == group.objectID)
            #expect(
                changes.first { $0.objectID == people[0].objectID }?.updatedProperties == [
                    "age", "lastName",
                ])
            #expect(changes.filter { $0.kind == .delete }.count == 1)
        }
    }

    @Test func `history continues after a position`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            for number in 0..<4 {
                try context.person("p\(number)")
                try context.save()
            }
            let all = try context.coordinator.history()
            let later = try context.coordinator.history(after: all[1].position)
            #expect(later.map(\.dot) == all[2...].map(\.dot))
            #expect(
                try context.coordinator.history(after: all[0].position, limit: 1).map(\.dot)
                    == [all[1].dot])
            let current = try graph.coordinator.currentHistoryPosition()
            #expect(current == all.last?.position)
            #expect(try context.coordinator.history(after: current).isEmpty)
        }
    }

    @Test func `a transaction may be merged as a save may`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            try context.save()
            let before = try graph.coordinator.currentHistoryPosition()
            try graph.inContext { other throws in
                try other.people().first?.age = 2
                try other.save()
            }
            for transaction in try context.coordinator.history(after: before) {
                try context.mergeChanges(from: transaction.objectIDChanges)
            }
            #expect(anna.age == 2)
        }
    }
}
