import Anabranch
import AnabranchModel
import Testing

/// Tests of the writes that a store holds and an object may not show.
@Suite struct `Writes that a store holds` {
    let scenario: ViewScenario

    init() throws { scenario = try ViewScenario.hiding() }

    private func texts(_ writes: [HeldWrite]) -> [String] {
        writes.map { "\($0.value) by \($0.write.author)" }
    }

    @Test func `those of every record with one unique key are listed`() throws {
        for (container, author) in [(scenario.first, "Ada"), (scenario.second, "Bob")] {
            try scenario.save(container) { context in
                context.transactionAuthor = author
                try context.make("Tag", "swift").setValue("of \(author)", forKey: "note")
            }
        }
        _ = try scenario.exchange()
        for container in [scenario.first, scenario.second] {
            try container.newBackgroundContext().performAndWait { context throws in
                let tag = try context.named("swift", "Tag")
                let writes = try context.heldWrites(of: tag.objectID, forKey: "note")
                #expect(Set(texts(writes)) == ["'of Ada' by Ada", "'of Bob' by Bob"])
                #expect(writes.first?.value == tag["note"], "the latest shows")
                let duplicate = try #require(try context.duplicates().first)
                #expect(
                    Set(writes.map(\.record))
                        == Set(duplicate.mergedDuplicates + [try tag.objectID.recordID]))
                // The members have the value that lost, and nothing else differs.
                let hidden = duplicate.members.flatMap(\.hiddenWrites)
                #expect(hidden.map(\.held) == Array(writes.dropFirst()))
                #expect(hidden.first?.rule == .uniqueKey && hidden.first?.key == "note")
                #expect(hidden.first?.shownValue == writes.first?.value)
                #expect(try context.hiddenWrites() == hidden)
                #expect(duplicate.members.map(\.record) == duplicate.members.map(\.record).sorted())
                let merged = try #require(duplicate.mergedDuplicates.first)
                let gone = try #require(
                    try context.coordinator.managedObjectID(for: merged, entity: tag.entity))
                #expect(try context.survivingObjectID(of: gone) == tag.objectID)
                #expect(try context.survivingObjectID(of: tag.objectID) == nil)
            }
        }
    }

    @Test func `a reference that another one hides is listed with its target`() throws {
        try scenario.save(scenario.first) { context in
            for name in ["a", "b"] { _ = try context.make("Car", name) }
            _ = try context.make("Driver", "d")
        }
        _ = try scenario.exchange()
        for (container, name) in [(scenario.first, "a"), (scenario.second, "b")] {
            try scenario.save(container) { context in
                context.transactionAuthor = name
                try context.named(name, "Car").setObject(
                    context.named("d", "Driver"), forKey: "driver")
            }
        }
        _ = try scenario.exchange()
        try scenario.second.newBackgroundContext().performAndWait { context throws in
            let hidden = try #require(
                try ["Car", "Driver"].flatMap { try context.hiddenWrites(of: $0) }.first)
            #expect(try context.hiddenWrites() == [hidden])
            #expect(try context.hiddenWrites(of: hidden.objectID) == [hidden])
            #expect(hidden.rule == .oneToOne && hidden.shownValue.isNull)
            let writes = try context.heldWrites(of: hidden.objectID, forKey: hidden.key)
            #expect(writes == [hidden.held])
            #expect(["a", "b"].contains(hidden.held.write.author))
            #expect(try context.hiddenWrites(of: "Tag").isEmpty)
        }
    }

    @Test func `the edge at which a cycle was cut is listed`() throws {
        try scenario.save(scenario.first) { context in
            for name in ["a", "b"] { _ = try context.make("Folder", name) }
        }
        _ = try scenario.exchange()
        for (container, name, parent) in [
            (scenario.first, "a", "b"), (scenario.second, "b", "a"),
        ] {
            try scenario.save(container) { context in
                try context.named(name, "Folder").setObject(
                    context.named(parent, "Folder"), forKey: "parent")
            }
        }
        _ = try scenario.exchange()
        try scenario.first.newBackgroundContext().performAndWait { context throws in
            let cut = try context.hiddenWrites(of: "Folder")
            #expect(cut.count == 1 && cut.first?.key == "parent" && cut.first?.rule == .acyclic)
            let id = try #require(cut.first?.objectID)
            #expect(try context.existingObject(with: id).target("parent") == nil)
            #expect(try context.hiddenWrites(limit: 1, offset: 1).isEmpty)
        }
    }

    @Test func `a property that has no writes of its own is refused by name`() throws {
        try scenario.save(scenario.first) { context in
            let folder = try context.make("Folder", "a")
            for (key, code) in [
                ("folders", PropertyError.Code.wrongKind), ("size", .unknownProperty),
            ] {
                let error = #expect(throws: PropertyError.self) {
                    try context.heldWrites(of: folder.objectID, forKey: key)
                }
                #expect(error?.code == code && error?.property == key)
            }
            #expect(try context.heldWrites(of: folder.objectID, forKey: "name").isEmpty)
        }
    }
}
