import Anabranch
import AnabranchModel
import AnabranchStore
import Testing

/// Tests of objects in memory with references that view rules hide.
@Suite struct `Objects and hidden references` {
    let scenario: ViewScenario

    init() throws { scenario = try ViewScenario(try ViewScenario.folders()) }

    private func quarrel() throws {
        try scenario.save(scenario.first) { context in
            try context.make("Folder", "folder")
            for name in ["early", "late"] { try context.make("Desk", name) }
        }
        try scenario.exchange()
        for (container, name) in [(scenario.first, "early"), (scenario.second, "late")] {
            try scenario.save(container) { context in
                let desk = try context.named(name, "Desk")
                try desk.setObject(try context.named("folder", "Folder"), forKey: "owner")
            }
        }
    }

    @Test func `the losing holder reads nil, also where it is registered`() throws {
        try quarrel()
        let context = scenario.first.newBackgroundContext()
        try context.performAndWait { context in
            let desk = try context.named("early", "Desk")
            let folder = try context.named("folder", "Folder")
            #expect(try desk.target("owner") == "folder")
            #expect(try folder.target("desk") == "early")
            try scenario.exchange()
            let late = try context.named("late", "Desk")
            try context.mergeChanges(
                from: ObjectIDChanges(updated: [desk, folder, late].map(\.objectID)))
            #expect(try desk.target("owner") == nil)
            #expect(try folder.target("desk") == "late")
            // The winner removes its reference: the other desk shows its folder again, without a
            // fetch.
            try context.named("late", "Desk").setObject(nil, forKey: "owner")
            try context.save()
            #expect(try desk.target("owner") == "folder")
            #expect(try folder.target("desk") == "early")
        }
    }

    @Test func `a cycle is shown cut, and a save that would make one names its object`() throws {
        try scenario.save(scenario.first) { context in
            for name in ["one", "two", "three"] { try context.make("Folder", name) }
        }
        try scenario.exchange()
        for (container, names) in [
            (scenario.first, ["one", "two"]), (scenario.second, ["two", "one"]),
        ] {
            try scenario.save(container) { context in
                try context.named(names[0], "Folder").setObject(
                    try context.named(names[1], "Folder"), forKey: "parent")
            }
        }
        try scenario.exchange()
        for container in [scenario.first, scenario.second] {
            try scenario.read(container) { context in
                let two = try context.named("two", "Folder")
                let one = try context.named("one", "Folder")
                #expect(try one.target("parent") == "two")
                #expect(try two.target("parent") == nil)
                #expect(try one.objects(forKey: "children").isEmpty)
                try two.setObject(one, forKey: "parent")
                let error = #expect(throws: ValidationError.self) { try context.save() }
                #expect(error?.code == .cyclicReference)
                #expect(error?.objectID == two.objectID)
                #expect(error?.property == "parent")
                #expect(error?.all.count == 1)
            }
        }
    }
}
