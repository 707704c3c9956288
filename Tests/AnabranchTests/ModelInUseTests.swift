import Anabranch
import AnabranchStore
import Testing

@Suite struct `A model that a store uses` {
    @Test func `stays as it is, whatever is done to a copy of its content`() throws {
        let graph = try Graph()
        let model = graph.coordinator.model
        let (hash, slots) = (model.hash, try #require(model.entity(named: "Person")).slots.count)
        var copy = model.declaration
        let place = try #require(copy.entities.firstIndex { $0.name == "Person" })
        copy.entities[place].attributes.append(AttributeDeclaration("nickname", .string))
        let other = try ManagedObjectModel(copy)
        #expect(other.entity(named: "Person")?.property(named: "nickname") != nil)
        #expect(other.hash != hash)
        #expect(graph.coordinator.model === model && model.hash == hash)
        #expect(model.entity(named: "Person")?.slots.count == slots)
        #expect(model.entity(named: "Person")?.property(named: "nickname") == nil)
        try graph.inContext { context throws in
            let anna = try context.person("Anna")
            let error = #expect(throws: PropertyError.self) {
                try anna.setValue("Ann", forKey: "nickname")
            }
            #expect(error?.code == .unknownProperty && error?.property == "nickname")
            try context.save()
        }
    }

    @Test(arguments: ["a default", "a class", "user info"])
    func `gives way to one of its version`(what: String) throws {
        let graph = try Graph(.file)
        var copy = graph.coordinator.model.declaration
        graph.coordinator.close()
        let place = try #require(copy.entities.firstIndex { $0.name == "Person" })
        switch what {
        case "a default": copy.entities[place].attributes[0].defaultValue = 7
        case "a class": copy.entities[place].representedClassName = "Human"
        default: copy.entities[place].userInfo = ["k": "v"]
        }
        let other = PersistentContainer(
            model: try ManagedObjectModel(copy), url: graph.file("company.anabranch"))
        try other.load()
        let untyped = PersistentContainer(url: graph.file("company.anabranch"))
        try untyped.load()
        #expect(untyped.model == other.model)
    }

    @Test func `is kept where migrations are not allowed`() throws {
        let graph = try Graph(.file)
        var copy = graph.coordinator.model.declaration
        graph.coordinator.close()
        let place = try #require(copy.entities.firstIndex { $0.name == "Person" })
        copy.entities[place].attributes.append(AttributeDeclaration("nickname", .string))
        var description = PersistentStoreDescription(url: graph.file("company.anabranch"))
        description.options.migratesStoreAutomatically = false
        let other = PersistentContainer(
            model: try ManagedObjectModel(copy), storeDescription: description)
        let error = #expect(throws: StoreError.self) { try other.load() }
        #expect(error?.code == .modelMismatch && error?.entity == "Person")
    }
}
