import Anabranch
import AnabranchModel
import Foundation
import TestSupport
import Testing

/// Tests of predicates that ask for all values of an attribute that keeps both.
@Suite struct `Predicates of held values` {
    private let scenario: ViewScenario

    init() throws {
        scenario = try ViewScenario(
            ManagedObjectModel {
                EntityDeclaration("Box") {
                    AttributeDeclaration("name", .string)
                    RelationshipDeclaration("notes", toMany: "Note", inverse: "box")
                }
                EntityDeclaration("Note") {
                    AttributeDeclaration("name", .string)
                    AttributeDeclaration("plain", .string)
                    AttributeDeclaration("text", .string, mergeRule: .keepBoth)
                    AttributeDeclaration(
                        "size", .integer32, optional: false, default: 7, mergeRule: .keepBoth)
                    RelationshipDeclaration("box", to: "Box", inverse: "notes")
                }
            })
        try scenario.save(scenario.first) { context in
            let box = try context.make("Box", "box")
            for name in ["both", "one", "none"] {
                let note = try context.make("Note", name)
                try note.setObject(name == "none" ? nil : box, forKey: "box")
                if name == "one" { try note.setValue("of Bob", forKey: "text") }
            }
        }
        try scenario.exchange()
        for (container, author) in [(scenario.first, "Ada"), (scenario.second, "Bob")] {
            try scenario.save(container) { context in
                try context.named("both", "Note").setValue("of \(author)", forKey: "text")
            }
        }
    }

    private static func found(
        _ format: String, _ entity: String = "Note", in context: ManagedObjectContext
    ) throws -> Set<String> {
        let predicate = try FetchPredicate(format)
        var request = FetchRequest<ManagedObject>(entityName: entity)
        let all = try context.fetch(request)
        request.predicate = predicate
        func names(_ objects: [ManagedObject]) -> Set<String> {
            Set(
                objects.compactMap { object in
                    if case .string(let name) = object["name"] { name } else { nil }
                })
        }
        let stored = names(try context.fetch(request))
        let judged = names(try all.filter { try predicate.evaluate(with: $0) })
        #expect(stored == judged, "\(format)")
        return stored
    }

    private static let questions: [(String, Set<String>)] = [
        ("text == 'of Ada'", []),
        ("text == 'of Bob'", ["both", "one"]),
        ("ANY text == 'of Ada'", ["both"]),
        ("ANY text IN {'of Ada', 'x'}", ["both"]),
        ("ANY text BEGINSWITH 'of A'", ["both"]),
        ("ANY 'of Ada' == text", ["both"]),
        ("ANY {text, 'x'} == 'of Ada'", []),
        ("ALL text == 'of Bob'", ["one"]),
        ("NONE text == 'of Ada'", ["one", "none"]),
        ("ANY text == nil", ["none"]),
        ("text.@count > 1", ["both"]),
        ("text.@count == 1", ["one", "none"]),
        ("text.@count > 0", ["both", "one", "none"]),
        ("size.@count == 1 AND ANY size == 7", ["both", "one", "none"]),
        ("ANY box.notes.text == 'of Ada'", ["both", "one"]),
        ("ANY box.notes.text == nil", []),
        ("'of Ada' IN box.notes.text", ["both", "one"]),
        ("SUBQUERY(box.notes, $n, $n.text == 'of Ada').@count > 0", []),
        ("SUBQUERY(box.notes, $n, $n.text.@count > 1).@count == 1", ["both", "one"]),
    ]

    @Test func `find each value that is held, in the store and in memory`() throws {
        try scenario.exchange()
        for container in [scenario.first, scenario.second] {
            try container.newBackgroundContext().performAndWait { context throws in
                for (format, answer) in Self.questions {
                    #expect(try Self.found(format, in: context) == answer, "\(format)")
                }
                #expect(
                    try Self.found("ANY notes.text == 'of Ada'", "Box", in: context) == ["box"])
                var request = FetchRequest<ManagedObject>(entityName: "Note")
                request.sorts = [FetchSort("text.@count", ascending: false), FetchSort("name")]
                #expect(try context.fetch(request).map { $0["name"] } == ["both", "none", "one"])
            }
        }
    }

    /// Syncs, and merges the changes into the contexts of a container.
    private func exchange(intoContextsOf container: PersistentContainer) async throws {
        let other = container === scenario.first ? scenario.second : scenario.first
        try scenario.zone.exchange(other.coordinator)
        let changed = try scenario.zone.exchange(container.coordinator)
        #expect(changed.entities.contains { $0.entity.name == "Note" && !$0.updated.isEmpty })
        await withCheckedContinuation { done in
            container.coordinator.didApply(changed) { done.resume() }
        }
    }

    @Test func `ask for an edited object what the save of the edit leaves`() async throws {
        let handle = scenario.first.newBackgroundContext()
        try handle.performAndWait { context throws in
            context.automaticallyMergesChangesFromParent = true
            try context.named("both", "Note").setValue("edited", forKey: "text")
            #expect(try Self.found("ANY text == 'of Ada'", in: context).isEmpty)
            #expect(try Self.found("ANY text == 'edited'", in: context) == ["both"])
            #expect(try Self.found("text.@count > 1", in: context).isEmpty)
            let child = context.newChildContext()
            #expect(try Self.found("ANY text == 'of Ada'", in: child).isEmpty)
            #expect(try Self.found("ANY text == 'edited'", in: child) == ["both"])
        }
        try await exchange(intoContextsOf: scenario.first)
        try handle.performAndWait { context throws in
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                #expect(try Self.found("ANY text == 'edited'", in: context) == ["both"])
                #expect(try Self.found("ANY text == 'of Bob'", in: context) == ["both", "one"])
                #expect(try Self.found("ANY text == 'of Ada'", in: context).isEmpty)
                #expect(try Self.found("text.@count > 1", in: context) == ["both"])
            }
            let note = try context.named("both", "Note")
            let values = try context.heldWrites(of: note.objectID, forKey: "text").map(\.value)
            #expect(values == ["edited", "of Bob"])
        }
    }

    @Test func `count an unsaved edit of another attribute, and what a parent shows`() throws {
        try scenario.exchange()
        try scenario.second.newBackgroundContext().performAndWait { context throws in
            try context.named("both", "Note").setValue("edited", forKey: "plain")
            for context in [context, context.newChildContext()] {
                let format = "plain == 'edited' AND ANY text == 'of Ada'"
                #expect(try Self.found(format, in: context) == ["both"])
                #expect(
                    try Self.found("ANY notes.text == 'of Ada'", "Box", in: context) == ["box"])
            }
        }
    }

    @Test func `follow a value that arrives beside the shown one`() async throws {
        let handle = scenario.second.newBackgroundContext()
        nonisolated(unsafe) var followed: [(Results, ResultsLog<ManagedObject>)] = []
        try handle.performAndWait { context throws in
            context.automaticallyMergesChangesFromParent = true
            for (entity, format) in [
                ("Note", "text.@count > 1"), ("Box", "ANY notes.text == 'of Ada'"),
                ("Box", "SUBQUERY(notes, $n, $n.text.@count > 1).@count > 0"),
            ] {
                var request = FetchRequest<ManagedObject>(entityName: entity)
                request.predicate = try FetchPredicate(format)
                request.sorts = [FetchSort("name")]
                let results = Results(fetchRequest: request, context: context)
                let log = ResultsLog<ManagedObject>()
                results.delegate = log
                try results.performFetch()
                #expect(results.fetchedObjects?.isEmpty == true)
                followed.append((results, log))
            }
        }
        try await exchange(intoContextsOf: scenario.second)
        try handle.performAndWait { context throws in
            #expect(try context.named("both", "Note")["text"] == "of Bob")
            for (results, _) in followed { #expect(results.fetchedObjects?.count == 1) }
        }
    }
}

private typealias Results = FetchedResultsController<ManagedObject>

/// Tests of held values of an object that shows several records.
@Suite struct `Predicates of held values of duplicates` {
    @Test func `find the values of all records that an object shows`() throws {
        let scenario = try ViewScenario.hiding()
        for (container, author) in [(scenario.first, "Ada"), (scenario.second, "Bob")] {
            try scenario.save(container) { context in
                try context.make("Tag", "swift").setValue("of \(author)", forKey: "text")
            }
        }
        try scenario.exchange()
        for container in [scenario.first, scenario.second] {
            try container.newBackgroundContext().performAndWait { context throws in
                let tag = try context.named("swift", "Tag")
                for held in try context.heldWrites(of: tag.objectID, forKey: "text") {
                    let predicate = try FetchPredicate("ANY text == %@", held.value)
                    var request = FetchRequest<ManagedObject>(entityName: "Tag")
                    request.predicate = predicate
                    #expect(try context.fetch(request) == [tag])
                    #expect(try predicate.evaluate(with: tag))
                }
                var request = FetchRequest<ManagedObject>(entityName: "Tag")
                request.predicate = try FetchPredicate("text.@count == 2")
                #expect(try context.fetch(request) == [tag])
                #expect(try request.predicate?.evaluate(with: tag) == true)
            }
        }
    }
}

/// Tests of held values that an earlier version of the model has written.
@Suite struct `Predicates of held values of an earlier model` {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory("held-versions") }

    private static func model(isLater: Bool) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Thing") {
                AttributeDeclaration("code", isLater ? .string : .integer32, mergeRule: .keepBoth)
                AttributeDeclaration(
                    "size", .integer32, optional: !isLater, default: isLater ? 7 : nil,
                    mergeRule: .keepBoth)
            }
        }
    }

    private func open(_ name: String, isLater: Bool) throws -> PersistentContainer {
        let container = PersistentContainer(
            model: try Self.model(isLater: isLater), url: URL(filePath: folder.file(name)))
        try container.load()
        return container
    }

    private func write(
        _ code: PropertyValue, _ size: PropertyValue, _ container: PersistentContainer
    ) throws {
        Thread.sleep(forTimeInterval: 0.002)
        try container.newBackgroundContext().performAndWait { context throws in
            let all = try context.fetch(FetchRequest<ManagedObject>(entityName: "Thing"))
            let thing = try all.first ?? context.insert("Thing")
            try thing.setValue(code, forKey: "code")
            try thing.setValue(size, forKey: "size")
            try context.save()
        }
    }

    private func check(_ formats: [String], _ container: PersistentContainer) throws {
        try container.newBackgroundContext().performAndWait { context throws in
            let thing = try #require(
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Thing")).first)
            for format in formats {
                var request = FetchRequest<ManagedObject>(entityName: "Thing")
                request.predicate = try FetchPredicate(format)
                #expect(try context.fetch(request) == [thing], "\(format)")
                #expect(try request.predicate?.evaluate(with: thing) == true, "\(format)")
            }
        }
    }

    @Test func `find them as the later model shows them`() throws {
        do {
            let zone = Zone()
            let stores = try ["a", "b"].map { try open($0, isLater: false) }
            try write(0, 0, stores[0])
            for store in stores { try zone.exchange(store.coordinator) }
            try write(1, .null, stores[0])
            try write(2, 3, stores[1])
            for store in stores + stores { try zone.exchange(store.coordinator) }
            for store in stores {
                try check(["ANY code == 1 AND ANY size == nil", "code == 2 AND size == 3"], store)
            }
        }
        for name in ["a", "b"] {
            let store = try open(name, isLater: true)
            try check(
                [
                    "code == '2'", "ANY code == '1'", "code.@count == 2", "size == 3",
                    "ANY size == 7", "NONE size == nil", "size.@count == 2",
                ], store)
            try write("x", 4, store)
            try check(["ANY code == 'x'", "size.@count == 1 AND ANY size == 4"], store)
        }
    }
}
