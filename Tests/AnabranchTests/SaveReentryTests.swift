import Anabranch
import Foundation
import Testing

/// Runs a closure when a context posts a notification, on the context's queue.
private final class Listener {
    private let token: any NSObjectProtocol

    init(
        _ name: Notification.Name, of context: ManagedObjectContext,
        _ body: @escaping () -> Void
    ) {
        nonisolated(unsafe) let body = body
        token = NotificationCenter.default.addObserver(
            forName: name, object: context, queue: nil
        ) { _ in body() }
    }

    deinit { NotificationCenter.default.removeObserver(token) }
}

/// An object that is deleted with its other half.
private final class Twin: ManagedObject {
    override class var entityName: String { "Twin" }
    override class var slotNames: [String] { ["elder", "younger"] }
    var younger: Twin? {
        get { self[toOne: 1] }
        set { self[toOne: 1] = newValue }
    }
    var elder: Twin? { self[toOne: 0] }
    private(set) var preparations = 0
    override func prepareForDeletion() {
        preparations += 1
        for other in [younger, elder].compactMap(\.self) { managedObjectContext?.delete(other) }
    }
}

@Suite struct `Saves with code in between` {
    @Test func `a change by willSave is saved even if the hook processes changes`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            let old = try context.person("Old")
            try context.save()
            anna.onWillSave = { anna in
                anna.onWillSave = { _ in }
                _ = try? context.person("Bert", boss: anna)
                old.age = 77
                context.processPendingChanges()
            }
            anna.age = 5
            try context.save()
            #expect(!context.hasChanges && context.insertedObjects.isEmpty)
            #expect(try graph.inContext { try $0.people().map(\.age) } == [5, 0, 77])
        }
        #expect(try graph.firstNames() == ["Anna", "Bert", "Old"])
    }

    @Test func `a change by a validation is saved even if it processes changes`() throws {
        let league = try League()
        try league.inContext { context throws in
            let team = try context.team("Owls")
            team.onInsert = { team in
                team.onInsert = { _ in }
                _ = try context.team("Bears")
                context.processPendingChanges()
            }
            try context.save()
            #expect(!context.hasChanges && context.insertedObjects.isEmpty)
        }
        try league.inContext { context throws in
            #expect(try context.count(for: FetchRequest<Team>()) == 2)
        }
    }

    @Test func `a validation's change after a settled conflict is validated and reported later`()
        throws
    {
        let league = try League()
        try league.inContext { context throws in
            context.mergePolicy = .mergeByPropertyObjectTrump
            let (owls, bears) = (try context.team("Owls"), try context.team("Bears"))
            try context.save()
            owls.motto = "Abc"
            context.processPendingChanges()
            try league.inContext { other throws in
                for team in try other.fetch(FetchRequest<Team>()) where team.name == "Owls" {
                    team.rank = 50
                }
                try other.save()
            }
            owls.onUpdate = { owls in
                guard owls.rank == 50, bears.rank == nil else { return }
                bears.rank = 1000
                context.processPendingChanges()
            }
            let log = NotificationLog(ManagedObjectContext.objectsDidChange, of: context)
            let failures = context.failures()
            #expect(failures.map(\.code) == [.numberTooLarge])
            #expect(failures.first?.objectID == bears.objectID && log.all.isEmpty)
            owls.onUpdate = { _ in bears.rank = 10 }
            try context.save()
            #expect(!context.hasChanges)
        }
        let ranks = try league.inContext { context throws in
            try context.fetch(FetchRequest<Team>()).compactMap(\.rank).sorted()
        }
        #expect(ranks == [10, 50])
    }

    @Test func `a save from willSave is refused, and the outer one continues`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            var inner: (any Error)?
            anna.onWillSave = { _ in
                do { try context.save() } catch { inner = error }
            }
            try context.save()
            #expect((inner as? PropertyError)?.code == .recursiveSave)
            #expect(!context.hasChanges)
            anna.onWillSave = { _ in }
            anna.age = 3
            try context.save()
        }
        #expect(try graph.firstNames() == ["Anna"])
    }

    @Test func `a listener that saves at every change saves each change once`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            var errors: [any Error] = []
            let listener = Listener(ManagedObjectContext.objectsDidChange, of: context) {
                do { try context.save() } catch { errors.append(error) }
            }
            let saves = NotificationLog(ManagedObjectContext.didSave, of: context)
            let anna = try context.person("Anna")
            context.processPendingChanges()
            #expect(!context.hasChanges && saves.all.count == 1)
            anna.age = 4
            try context.save()
            #expect(!context.hasChanges && errors.isEmpty)
            #expect(saves.all.map { $0.inserted.count + $0.updated.count } == [1, 1])
            withExtendedLifetime(listener) {}
        }
        #expect(try graph.firstNames() == ["Anna"])
    }

    @Test(arguments: [false, true])
    func `a change by an observer of a settled conflict is not lost`(saves: Bool) throws {
        let ledger = try Ledger()
        let id = try ledger.account(["a": 1, "b": 1])
        let other = try ledger.account(["a": 1])
        try ledger.inContext(.mergeByPropertyObjectTrump) { context throws in
            let account = try context.read(id)
            let second = try context.read(other)
            try account.setValue(2, forKey: "a")
            try ledger.elsewhere { try $0.read(id).setValue(7, forKey: "b") }
            context.processPendingChanges()
            var isFirst = true
            var failure: (any Error)?
            let listener = Listener(ManagedObjectContext.objectsDidChange, of: context) {
                guard isFirst else { return }
                isFirst = false
                do {
                    try account.setValue(9, forKey: "c")
                    try second.setValue(9, forKey: "c")
                    if saves { try context.save() }
                } catch {
                    failure = error
                }
            }
            try context.save()
            #expect(!isFirst && failure == nil)
            if context.hasChanges { try context.save() }
            #expect(!context.hasChanges)
            withExtendedLifetime(listener) {}
        }
        #expect(try ledger.stored(id, "a", "b", "c") == [2, 7, 9])
        #expect(try ledger.stored(other, "c") == [9])
    }

    @Test(arguments: ["rollback", "reset"])
    func `a change that willSave reverts is not saved`(way: String) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna", age: 1)
            try context.save()
            anna.age = 2
            try context.person("Bert")
            anna.onWillSave = { anna in
                anna.onWillSave = { _ in }
                if way == "reset" { context.reset() } else { context.rollback() }
            }
            try context.save()
            #expect(!context.hasChanges)
            #expect(try context.people().map(\.age) == [1])
        }
        #expect(try graph.firstNames() == ["Anna"])
    }

    @Test func `a child that saves into a parent that is saving is saved with it`() throws {
        let graph = try Graph()
        try graph.inContext { parent throws in
            let anna = try parent.person("Anna")
            try parent.save()
            let child = parent.newChildContext()
            try child.person("Bert")
            try #require(try child.people("firstName == 'Anna'").first).lastName = "Berg"
            anna.onWillSave = { _ in try? child.save() }
            anna.age = 3
            try parent.save()
            #expect(!parent.hasChanges && !child.hasChanges)
        }
        #expect(try graph.firstNames() == ["Anna", "Bert"])
        #expect(try graph.inContext { try $0.people().map(\.lastName) } == ["Berg", nil])
    }

    @Test func `a change made after a save is written waits for the next save`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            var rounds = 0
            let listener = Listener(ManagedObjectContext.didSave, of: context) {
                rounds += 1
                guard rounds < 3 else { return }
                anna.age += 1
                if rounds == 2 { try? context.save() }
            }
            try context.save()
            #expect(anna.age == 1 && context.hasChanges && rounds == 1)
            try context.save()
            #expect(anna.age == 2 && !context.hasChanges && rounds == 3)
            #expect(try graph.inContext { try $0.people().map(\.age) } == [2])
            withExtendedLifetime(listener) {}
        }
    }

    @Test func `objects that go with each other are deleted once`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Twin") {
                RelationshipDeclaration("younger", to: "Twin", inverse: "elder")
                RelationshipDeclaration("elder", to: "Twin", inverse: "younger")
            }
        }
        let league = try League(model, classes: [Twin.self])
        try league.inContext { context throws in
            let (one, two) = (try context.insert(Twin.self), try context.insert(Twin.self))
            one.younger = two
            try context.save()
            context.delete(one)
            #expect(context.deletedObjects == [one, two])
            #expect(one.preparations == 1 && two.preparations == 1)
            try context.save()
            #expect(try context.count(for: FetchRequest<Twin>()) == 0)
        }
    }

    @Test func `a pinned context sees its own save in didSave`() throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            try context.setQueryGeneration(from: .current)
            #expect(try context.people().isEmpty)
            var found: [Int] = []
            let listener = Listener(ManagedObjectContext.didSave, of: context) {
                found.append((try? context.people().count) ?? -1)
            }
            try context.person("Anna")
            try context.save()
            #expect(found == [1])
            withExtendedLifetime(listener) {}
        }
    }
}
