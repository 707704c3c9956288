import Anabranch
import AnabranchModel
import AnabranchStore
import Testing

/// Tests of children that the deleter of their parent had not seen.
@Suite struct OrphanTests {
    let scenario: ViewScenario

    init() throws { scenario = try ViewScenario(try ViewScenario.folders()) }

    /// Inserts a note that the deleter of its folder has not seen.
    private func orphan(named name: String) throws {
        try scenario.save(scenario.first) { context in
            let folder = try context.make("Folder", "folder")
            try context.make("Note", "known").setObject(folder, forKey: "folder")
        }
        try scenario.exchange()
        try scenario.save(scenario.second) { context in
            try context.make("Note", name).setObject(
                try context.named("folder", "Folder"), forKey: "folder")
        }
        try scenario.save(scenario.first) { context in
            context.delete(try context.named("folder", "Folder"))
        }
        try scenario.exchange()
    }

    @Test func `a child that the deleter had not seen is kept and listed`() throws {
        try orphan(named: "unknown")
        for container in [scenario.first, scenario.second] {
            try scenario.read(container) { context in
                let note = try context.named("unknown", "Note")
                #expect(try note.target("folder") == nil)
                let orphans = try context.orphans()
                #expect(orphans.map(\.objectID) == [note.objectID])
                #expect(orphans.first?.entity.name == "Note")
                #expect(orphans.first?.relationship.name == "folder")
                let parent = try #require(orphans.first?.parent)
                let entity = try #require(context.model.entity(named: "Folder"))
                let id = try #require(
                    try container.coordinator.managedObjectID(for: parent, entity: entity))
                #expect(throws: PropertyError.self) { try context.existingObject(with: id) }
                #expect(try context.orphans(of: "Desk").isEmpty)
                #expect(try context.orphanCount(of: "Note") == 1)
                #expect(throws: PropertyError.self) { try context.orphans(of: "Nothing") }
            }
        }
    }

    @Test func `an orphan that gets another parent is none any more`() throws {
        try orphan(named: "unknown")
        #expect(try scenario.read(scenario.first) { try $0.orphanCount() } == 1)
        try scenario.save(scenario.first) { context in
            let orphan = try #require(try context.orphans().first)
            let note = try context.existingObject(with: orphan.objectID)
            try note.setObject(try context.make("Folder", "another"), forKey: "folder")
        }
        #expect(try scenario.read(scenario.first) { try $0.orphanCount() } == 0)
        try scenario.exchange()
        #expect(try scenario.read(scenario.second) { try $0.orphanCount() } == 0)
    }

    @Test func `a parent that lives again has its orphans back`() throws {
        let third = try scenario.open("third")
        try scenario.save(scenario.first) { try $0.make("Folder", "folder") }
        try scenario.exchange()
        try scenario.zone.exchange(third.coordinator)
        // The third store receives none of the following saves.
        try scenario.save(third) { context in
            try context.named("folder", "Folder").setValue("renamed", forKey: "name")
        }
        try scenario.save(scenario.second) { context in
            let folder = try context.named("folder", "Folder")
            try context.make("Note", "child").setObject(folder, forKey: "folder")
        }
        try scenario.save(scenario.first) { context in
            context.delete(try context.named("folder", "Folder"))
        }
        try scenario.exchange()
        #expect(try scenario.read(scenario.first) { try $0.orphanCount() } == 1)
        let count = try scenario.first.coordinator.store.pending(byteLimit: .max).count
        try scenario.zone.exchange(third.coordinator)
        try scenario.exchange()
        for container in [scenario.first, scenario.second, third] {
            try scenario.read(container) { context in
                let note = try context.named("child", "Note")
                #expect(try note.target("folder") == "renamed")
                #expect(try context.orphanCount() == 0)
            }
            let store = container.coordinator.store
            #expect(try store.pending(byteLimit: .max).count == count, "Nothing was written.")
        }
    }

    @Test func `orphans come in pages`() throws {
        try scenario.save(scenario.first) { try $0.make("Folder", "folder") }
        try scenario.exchange()
        try scenario.save(scenario.second) { context in
            let folder = try context.named("folder", "Folder")
            for number in 0..<7 {
                try context.make("Note", "\(number)").setObject(folder, forKey: "folder")
            }
        }
        try scenario.save(scenario.first) { context in
            context.delete(try context.named("folder", "Folder"))
        }
        try scenario.exchange()
        try scenario.read(scenario.second) { context in
            let all = try context.orphans()
            #expect(all.count == 7)
            var pages: [OrphanedObject] = []
            for offset in stride(from: 0, to: 9, by: 3) {
                let page = try context.orphans(limit: 3, offset: offset)
                #expect(page.count == min(3, 7 - offset))
                pages += page
            }
            #expect(pages == all)
        }
    }
}
