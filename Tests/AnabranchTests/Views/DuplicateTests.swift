import Anabranch
import AnabranchModel
import AnabranchStore
import Testing

/// Tests of objects in memory that show several records with one unique key.
@Suite struct `Objects that show several records` {
    let scenario: ViewScenario

    init() throws {
        scenario = try ViewScenario(
            ManagedObjectModel {
                EntityDeclaration("Tag") {
                    AttributeDeclaration("name", .string)
                    AttributeDeclaration("note", .string)
                    AttributeDeclaration("uses", .integer64, mergeRule: .counter)
                    RelationshipDeclaration(
                        "notes", toMany: "Note", inverse: "tags", deleteRule: .cascade)
                    RelationshipDeclaration("songs", toMany: "Song", ordered: true, inverse: "tags")
                    UniquenessConstraint("name")
                }
                EntityDeclaration("Note") {
                    AttributeDeclaration("name", .string)
                    RelationshipDeclaration("tags", to: "Tag", inverse: "notes")
                }
                EntityDeclaration("Song") {
                    AttributeDeclaration("name", .string)
                    RelationshipDeclaration("tags", toMany: "Tag", inverse: "songs")
                }
            })
    }

    /// Inserts a tag of the same name in both stores, with related objects.
    private func pair() throws {
        for (container, names) in [(scenario.first, ["a", "b"]), (scenario.second, ["c", "d"])] {
            try scenario.save(container) { context in
                let tag = try context.make("Tag", "swift")
                try tag.setValue(.integer(2), forKey: "uses")
                try context.make("Note", names[0]).setObject(tag, forKey: "tags")
                for name in names {
                    try tag.list(forKey: "songs").append(try context.make("Song", name))
                }
            }
        }
    }

    private func songs(_ tag: ManagedObject) throws -> [String] {
        try tag.list(forKey: "songs").map { song in
            guard case .string(let name) = try song.value(forKey: "name") else { return "" }
            return name
        }
    }

    @Test func `one is left, and a registered one that goes is deleted`() throws {
        try pair()
        let context = scenario.second.newBackgroundContext()
        try context.performAndWait { context in
            let gone = try context.named("swift", "Tag")
            let note = try context.named("c", "Note")
            #expect(try note.target("tags") == "swift")
            let changes = try scenario.exchange()[1]
            let tags = try #require(changes.entities.first { $0.entity.name == "Tag" })
            // The smaller identity survives, and it is random which one that is.
            guard !tags.deleted.isEmpty else { return }
            try context.mergeChanges(
                from: ObjectIDChanges(updated: [note.objectID], deleted: [gone.objectID]))
            #expect(gone.managedObjectContext == nil)
            #expect(try note.object(forKey: "tags") == context.named("swift", "Tag"))
        }
        for container in [scenario.first, scenario.second] {
            try scenario.read(container) { context throws in
                let one = try context.named("swift", "Tag")
                #expect(try one.value(forKey: "uses") == .integer(4))
                #expect(try context.duplicateCount() == 1)
                #expect(try context.orphanCount() == 0)
                let duplicate = try #require(try context.duplicates(of: "Tag").first)
                #expect(duplicate.objectID == one.objectID)
                #expect(duplicate.mergedDuplicates.count == 1)
                #expect(try context.duplicates(of: "Note").isEmpty)
                #expect(throws: PropertyError.self) { try context.duplicates(of: "Nothing") }
            }
        }
    }

    /// The smaller identity survives, and it is random which one that is. So each record loses a
    /// value once.
    @Test func `a value that one of them lost is restored to the visible record`() throws {
        try pair()
        try scenario.exchange()
        let notes = try [scenario.first, scenario.second].map { container in
            try scenario.read(container) { context throws in
                try context.coordinator.conflictCount()
            }
        }
        #expect(notes == [0, 0])
        // The records are separated, so that each can be changed by itself, and are merged again.
        let other = try mergedDuplicate()
        try scenario.exchange()
        for container in [scenario.first, scenario.second] {
            let conflicts = try container.coordinator.conflicts(.record(other))
            let conflict = try #require(conflicts.first { $0.value == .string("earlier") })
            try scenario.save(container) { context in
                let shown = try context.named("swift", "Tag")
                #expect(try container.coordinator.managedObjectID(of: conflict) == shown.objectID)
                let all = try container.coordinator.conflicts(.of(shown.objectID))
                #expect(all.map(\.id).contains(conflict.id))
                #expect(try context.restore(conflict) === shown)
                #expect(try shown.value(forKey: "note") == .string("earlier"))
            }
            try scenario.exchange()
            for container in [scenario.first, scenario.second] {
                try scenario.read(container) { context throws in
                    let shown = try context.named("swift", "Tag")
                    #expect(try shown.value(forKey: "note") == .string("earlier"))
                }
            }
            try scenario.save(container) { context in
                try context.named("swift", "Tag").setValue(.string("again"), forKey: "note")
            }
            try scenario.exchange()
        }
    }

    /// Makes the hidden record lose a note.
    private func mergedDuplicate() throws -> RecordID {
        let (first, second) = (scenario.first, scenario.second)
        let hidden = try scenario.read(first) { context throws in
            try #require(try context.duplicates(of: "Tag").first?.mergedDuplicates.first)
        }
        // The key is removed in one of the stores, so that the records show separately there.
        try scenario.save(first) { context in
            try context.named("swift", "Tag").setValue(.null, forKey: "name")
        }
        try scenario.exchange()
        for (container, note) in [(first, "earlier"), (second, "later")] {
            try scenario.save(container) { context in
                let entity = try #require(context.model.entity(named: "Tag"))
                let id = try #require(
                    try container.coordinator.managedObjectID(for: hidden, entity: entity))
                try context.existingObject(with: id).setValue(.string(note), forKey: "note")
            }
        }
        try scenario.exchange()
        // Neither store has seen the key of the other.
        for (container, isItsTurn) in [(first, true), (second, false)] {
            try scenario.save(container) { context in
                for tag in try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")) {
                    guard try (tag.objectID.recordID == hidden) == isItsTurn else { continue }
                    try tag.setValue(.string("swift"), forKey: "name")
                }
            }
        }
        return hidden
    }

    @Test func `deleting it takes all with it that hangs on any of them`() throws {
        try pair()
        try scenario.exchange()
        try scenario.save(scenario.second) { context in
            let tag = try context.named("swift", "Tag")
            #expect(try tag.objects(forKey: "notes").count == 2)
            context.delete(tag)
        }
        try scenario.exchange()
        for container in [scenario.first, scenario.second] {
            try scenario.read(container) { context throws in
                for entity in ["Tag", "Note"] {
                    let request = FetchRequest<ManagedObject>(entityName: entity)
                    #expect(try context.fetch(request).isEmpty)
                }
                #expect(try context.duplicateCount() == 0)
            }
        }
    }

    @Test func `an edit shows at once, and removing a key separates them`() throws {
        try pair()
        try scenario.exchange()
        let context = scenario.first.newBackgroundContext()
        try context.performAndWait { context in
            let tag = try context.named("swift", "Tag")
            try tag.setValue(.string("edited"), forKey: "note")
            try tag.setValue(.integer(7), forKey: "uses")
            try context.save()
            #expect(try tag.value(forKey: "uses") == .integer(7))
            try tag.setValue(.string("later"), forKey: "note")
            try context.save()
            #expect(try tag.value(forKey: "note") == .string("later"))
            try tag.setValue(.null, forKey: "name")
            try context.save()
            #expect(try tag.value(forKey: "uses") == .integer(5), "its own part")
            let all = try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag"))
            #expect(all.count == 2)
        }
        try scenario.exchange()
        try scenario.read(scenario.second) { context throws in
            #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")).count == 2)
        }
    }

    @Test func `a list is that of all, and is edited as one`() throws {
        try pair()
        try scenario.exchange()
        try scenario.save(scenario.second) { context in
            let tag = try context.named("swift", "Tag")
            let shown = try songs(tag)
            #expect(shown.sorted() == ["a", "b", "c", "d"])
            try tag.list(forKey: "songs").append(try context.make("Song", "e"))
        }
        try scenario.exchange()
        var expected = try scenario.read(scenario.first) { context throws in
            try songs(try context.named("swift", "Tag"))
        }
        #expect(expected.last == "e")
        try scenario.save(scenario.first) { context in
            let tag = try context.named("swift", "Tag")
            try tag.list(forKey: "songs").move(from: 0, to: 4)
        }
        expected.append(expected.removeFirst())
        try scenario.exchange()
        for container in [scenario.first, scenario.second] {
            try scenario.read(container) { context throws in
                #expect(try songs(try context.named("swift", "Tag")) == expected)
            }
        }
        try scenario.save(scenario.second) { context in
            let tag = try context.named("swift", "Tag")
            try tag.list(forKey: "songs").removeAll()
        }
        try scenario.exchange()
        try scenario.read(scenario.first) { context throws in
            #expect(try songs(try context.named("swift", "Tag")) == [])
        }
    }
}
