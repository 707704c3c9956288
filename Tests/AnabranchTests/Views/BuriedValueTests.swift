import Anabranch
import AnabranchModel
import AnabranchReplication
import AnabranchStore
import Testing

/// Tests of the journal for values that a save discards and that its author was not shown.
@Suite struct `Hidden values that a save discards` {
    private let scenario: ViewScenario

    init() throws { scenario = try ViewScenario.hiding() }

    private var containers: [PersistentContainer] { [scenario.first, scenario.second] }

    /// Inserts a tag of one name in both stores, with other values.
    private func pair() throws {
        for (container, author) in zip(containers, ["Ada", "Bob"]) {
            try scenario.save(container) { context in
                context.transactionAuthor = author
                let tag = try context.make("Tag", "swift")
                try tag.setValue("note of \(author)", forKey: "note")
                try tag.setValue("text of \(author)", forKey: "text")
            }
        }
        try scenario.exchange()
    }

    private func edit(
        _ container: PersistentContainer, _ key: String, _ value: String
    ) throws {
        try scenario.save(container) { context in
            context.transactionAuthor = "Cleo"
            try context.named("swift", "Tag").setValue(value, forKey: key)
        }
    }

    private func texts(_ conflicts: [ConflictEntry]) -> [String] {
        conflicts.map { conflict in
            "\(conflict.kind) \(conflict.value) by \(conflict.lost.author) "
                + "against \(conflict.winningValue ?? .null) by \(conflict.winner?.author ?? "")"
        }.sorted()
    }

    @Test(arguments: [0, 1])
    func `are recorded once when a merged object is edited`(_ place: Int) throws {
        try pair()
        let container = containers[place]
        #expect(try container.coordinator.conflictCount() == 0)
        // The later of both notes shows, whichever record survives.
        try edit(container, "note", "mine")
        let entry = "concurrentWrite 'note of Ada' by Ada against 'mine' by Cleo"
        #expect(try texts(container.coordinator.conflicts()) == [entry])
        try edit(container, "note", "again")
        try scenario.save(container) { context in
            try context.named("swift", "Tag").setValue(.null, forKey: "note")
        }
        #expect(try texts(container.coordinator.conflicts()) == [entry])
        // It can be restored.
        let conflict = try #require(try container.coordinator.conflicts().first)
        try scenario.save(container) { try $0.restore(conflict) }
        let note = try scenario.read(container) { try $0.named("swift", "Tag")["note"] }
        #expect(note == .string("note of Ada"))
        try scenario.exchange()
        #expect(
            try scenario.first.coordinator.canonicalHash()
                == scenario.second.coordinator.canonicalHash())
    }

    @Test func `are not recorded if the edit gives the object the same value`() throws {
        try pair()
        try edit(scenario.first, "note", "note of Ada")
        #expect(try scenario.first.coordinator.conflictCount() == 0)
    }

    @Test func `of each member are recorded under the rule that keeps both`() throws {
        try pair()
        try edit(scenario.first, "text", "mine")
        #expect(
            try texts(scenario.first.coordinator.conflicts())
                == ["concurrentWrite 'text of Ada' by Ada against 'mine' by Cleo"])
    }

    @Test func `are recorded with a value that came under an unsaved edit`() async throws {
        let third = try scenario.open("third")
        try scenario.save(scenario.second) { context in
            try context.make("Tag", "swift").setValue("early", forKey: "note")
        }
        for container in [scenario.second, third] {
            try scenario.zone.exchange(container.coordinator)
        }
        try scenario.save(scenario.first) { context in
            try context.make("Tag", "swift").setValue("own", forKey: "note")
        }
        try scenario.exchange()
        // The third store has one of the two records, so it writes to that one.
        try scenario.save(third) { context in
            context.transactionAuthor = "Dora"
            try context.named("swift", "Tag").setValue("late", forKey: "note")
        }
        try scenario.zone.exchange(third.coordinator)
        let handle = scenario.first.newBackgroundContext()
        try handle.performAndWait { context throws in
            context.automaticallyMergesChangesFromParent = true
            context.retainsRegisteredObjects = true
            context.transactionAuthor = "Cleo"
            try context.named("swift", "Tag").setValue("mine", forKey: "note")
        }
        let coordinator = scenario.first.coordinator
        let changed = try scenario.zone.exchange(coordinator)
        await withCheckedContinuation { done in
            coordinator.didApply(changed) { done.resume() }
        }
        try handle.performAndWait { try $0.save() }
        let entry = "concurrentWrite 'late' by Dora against 'mine' by Cleo"
        #expect(try texts(coordinator.conflicts()).contains(entry))
    }

    @Test func `do not make a context that refuses unseen values refuse`() throws {
        try pair()
        try scenario.save(scenario.first) { context in
            context.treatsMergedChangesAsConflicts = true
            try context.named("swift", "Tag").setValue("mine", forKey: "note")
        }
        #expect(try scenario.first.coordinator.conflictCount() == 1)
    }

    @Test func `are recorded when a merged object is deleted, and can be inserted anew`() throws {
        try pair()
        try scenario.save(scenario.first) { context in
            context.transactionAuthor = "Cleo"
            context.delete(try context.named("swift", "Tag"))
        }
        let conflicts = try scenario.first.coordinator.conflicts()
        let hidden = conflicts.filter { $0.kind == .deletedWhileWritten }
        #expect(Set(hidden.map(\.value)) == [.string("note of Ada"), .string("text of Ada")])
        #expect(hidden.allSatisfy { $0.winner?.author == "Cleo" && $0.winningValue == nil })
        let entry = try #require(hidden.first)
        try scenario.save(scenario.first) { context in
            try context.insert(context.discardedValues(of: entry))
        }
        let note = try scenario.read(scenario.first) { try $0.named("swift", "Tag")["note"] }
        #expect(note == .string("note of Ada"))
    }

    @Test func `are recorded when an object is deleted that keeps both`() throws {
        try scenario.save(scenario.first) { try $0.make("Tag", "swift") }
        try scenario.exchange()
        for (container, author) in zip(containers, ["Ada", "Bob"]) {
            try scenario.save(container) { context in
                context.transactionAuthor = author
                try context.named("swift", "Tag").setValue("of \(author)", forKey: "text")
            }
        }
        try scenario.exchange()
        try scenario.save(scenario.second) { $0.delete(try $0.named("swift", "Tag")) }
        let conflicts = try scenario.second.coordinator.conflicts()
        let hidden = conflicts.filter { $0.kind == .deletedWhileWritten }
        #expect(hidden.map(\.value) == [.string("of Ada")])
        // The rest of the object is kept beside it, so that all of it can be inserted anew.
        #expect(
            conflicts.contains { $0.kind == .deletedWithRecord && $0.value == .string("of Bob") })
    }

    @Test func `are not recorded when an object is deleted that hides nothing`() throws {
        try scenario.save(scenario.first) { context in
            try context.make("Tag", "swift").setValue("note", forKey: "note")
        }
        try scenario.save(scenario.first) { context in
            context.delete(try context.named("swift", "Tag"))
        }
        #expect(try scenario.first.coordinator.conflictCount() == 0)
    }

    /// Gives one driver to two cars, so that one of these does not show it.
    ///
    /// - Returns: The hidden reference.
    private func contend() throws -> HiddenWrite {
        try scenario.save(scenario.first) { context in
            for name in ["a", "b"] { try context.make("Car", name) }
            for name in ["d", "e"] { try context.make("Driver", name) }
        }
        try scenario.exchange()
        for (container, name) in zip(containers, ["a", "b"]) {
            try scenario.save(container) { context in
                context.transactionAuthor = name
                try context.named(name, "Car").setObject(
                    context.named("d", "Driver"), forKey: "driver")
            }
        }
        try scenario.exchange()
        return try scenario.read(scenario.first) { context in
            try #require(try context.hiddenWrites().first)
        }
    }

    @Test(arguments: [false, true])
    func `are recorded when a hidden reference is overwritten or deleted`(
        _ isDeleted: Bool
    ) throws {
        let hidden = try contend()
        let isCar = hidden.key == "driver"
        try scenario.save(scenario.first) { context in
            let holder = try context.existingObject(with: hidden.objectID)
            if isDeleted { return context.delete(holder) }
            // The stored side of the relationship may be either one.
            let other = try isCar ? context.named("e", "Driver") : context.make("Car", "c")
            try holder.setObject(other, forKey: hidden.key)
        }
        let conflicts = try scenario.first.coordinator.conflicts().filter {
            $0.kind != .deletedWithRecord
        }
        #expect(conflicts.map(\.value) == [hidden.held.value])
        #expect(conflicts.first?.lost == hidden.held.write)
        #expect(conflicts.first?.kind == (isDeleted ? .deletedWhileWritten : .concurrentWrite))
    }

    /// Closes a circle of two folders, so that one reference is cut.
    private func closeCircle() throws -> HiddenWrite {
        try scenario.save(scenario.first) { context in
            for name in ["a", "b", "c"] { try context.make("Folder", name) }
        }
        try scenario.exchange()
        for (container, names) in zip(containers, [("a", "b"), ("b", "a")]) {
            try scenario.save(container) { context in
                try context.named(names.0, "Folder").setObject(
                    context.named(names.1, "Folder"), forKey: "parent")
            }
        }
        try scenario.exchange()
        return try scenario.read(scenario.first) { context in
            try #require(try context.hiddenWrites(of: "Folder").first)
        }
    }

    @Test func `are recorded when a cut reference is overwritten`() throws {
        let hidden = try closeCircle()
        try scenario.save(scenario.first) { context in
            try context.existingObject(with: hidden.objectID).setObject(
                context.named("c", "Folder"), forKey: "parent")
        }
        #expect(try scenario.first.coordinator.conflicts().map(\.value) == [hidden.held.value])
    }

    @Test func `are recorded when a save clears a cut reference in its way`() throws {
        let hidden = try closeCircle()
        // One folder shows the other as its parent, whose own reference is cut. Once the first one
        // is below c, the second one's reference shows again and closes a circle if c is below it.
        try scenario.save(scenario.first) { context in
            let cut = try context.existingObject(with: hidden.objectID)
            let name: String = try cut.value(forKey: "name")
            let c = try context.named("c", "Folder")
            try context.named(name == "a" ? "b" : "a", "Folder").setObject(c, forKey: "parent")
            try c.setObject(cut, forKey: "parent")
        }
        try scenario.read(scenario.first) { context in
            #expect(try context.hiddenWrites().isEmpty)
            let held = try context.heldWrites(of: hidden.objectID, forKey: "parent")
            #expect(held.map(\.value) == [.null])
        }
        #expect(try scenario.first.coordinator.conflicts().map(\.value) == [hidden.held.value])
    }
}
