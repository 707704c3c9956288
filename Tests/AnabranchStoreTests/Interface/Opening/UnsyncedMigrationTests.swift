import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

@Suite struct `Migrating unsynced records` {
    private let scenario: StoreScenario

    init() throws {
        var declaration = try StoreScenario.people().declaration
        declaration.entities.append(
            EntityDeclaration("Draft") {
                AttributeDeclaration("text", .string)
                AttributeDeclaration("note", .string)
                AttributeDeclaration("size", .integer16)
                RelationshipDeclaration("parts", toMany: "Part", inverse: "draft")
                RelationshipDeclaration("labels", toMany: "Part", inverse: "labelled")
            })
        declaration.entities.append(
            EntityDeclaration("Part") {
                RelationshipDeclaration("draft", to: "Draft", inverse: "parts")
                RelationshipDeclaration("labelled", toMany: "Draft", inverse: "labels")
            })
        declaration.configurations = [ModelConfiguration("Local", "Draft", "Part", isSynced: false)]
        scenario = try StoreScenario(model: try ManagedObjectModel(declaration))
    }

    /// Fills a store with people and with a draft that has parts.
    private func fill() throws -> (draft: LocalID, parts: [LocalID], hash: Digest) {
        let store = try scenario.open("a")
        defer { store.close() }
        try store.insertPerson("Anna", age: 3)
        let ids = Array(try store.reserveNumbers(3))
        let draft = try #require(scenario.model.entity(named: "Draft"))
        let part = try #require(scenario.model.entity(named: "Part"))
        var slots = [PropertyValue](repeating: .null, count: draft.slots.count)
        for name in ["text", "note"] {
            slots[try #require(draft.slotIndex(named: name))] = .string(name)
        }
        slots[try #require(draft.slotIndex(named: "size"))] = .integer(5)
        var child = [PropertyValue](repeating: .null, count: part.slots.count)
        child[try #require(part.slotIndex(named: "draft"))] = .integer(ids[0])
        var request = SaveRequest()
        request.inserts = [
            .init(entity: draft, rows: [(ids[0], slots)]),
            .init(entity: part, rows: [(ids[1], child), (ids[2], child)]),
        ]
        let labels = try #require(draft.property(named: "labels")?.relationship)
        request.links = [
            .init(relationship: labels, owner: ids[0], other: ids[2], isAdded: true)
        ]
        _ = try save(request, in: store)
        return (ids[0], [ids[1], ids[2]], try store.canonicalHash())
    }

    private func save(_ request: SaveRequest, in store: Store) throws -> SaveResult {
        let result = try store.save(request)
        #expect(result.dot == nil && result.isWritten)
        return result
    }

    private func related(_ name: String, of id: LocalID, in store: Store) throws -> [LocalID] {
        let draft = try #require(store.model.entity(named: "Draft"))
        let relationship = try #require(draft.property(named: name)?.relationship)
        return try store.read { try $0.related(by: relationship, of: [id]).map(\.id).sorted() }
    }

    @Test func `a relationship that becomes transient leaves nothing behind`() throws {
        let (draft, _, hash) = try fill()
        let model = try scenario.changedModel { declaration in
            for entity in declaration.entities.indices {
                for place in declaration.entities[entity].relationships.indices
                where ["Draft", "Part"].contains(declaration.entities[entity].name) {
                    declaration.entities[entity].relationships[place].isTransient = true
                }
            }
        }
        let store = try scenario.open("a", model: model)
        defer { store.close() }
        #expect(try store.canonicalHash() == hash && store.check().isValid)
        #expect(try related("labels", of: draft, in: store).isEmpty)
        #expect(try related("parts", of: draft, in: store).isEmpty)
    }

    @Test func `a pass over the rows keeps them`() throws {
        let (draft, parts, hash) = try fill()
        let next = try scenario.changedModel { declaration in
            for place in declaration.entities.indices
            where ["Draft", "Person"].contains(declaration.entities[place].name) {
                declaration.entities[place].attributes.removeAll { $0.name == "note" }
                declaration.entities[place].attributes.removeAll { $0.name == "age" }
            }
        }
        let store = try scenario.open("a", model: next)
        #expect(try store.value("text", of: draft, "Draft") == .string("text"))
        #expect(try related("parts", of: draft, in: store) == parts)
        #expect(try related("labels", of: draft, in: store) == [parts[1]])
        #expect(try store.canonicalHash() == hash && store.check().isValid)
        store.close()
        // A removed attribute of a synced record waits for a version that has it; that of an
        // unsynced record is gone.
        let again = try scenario.open("a")
        #expect(try again.value("note", of: draft, "Draft") == .null)
        #expect(try again.row("Part", parts[0]) != nil)
        #expect(try again.canonicalHash() == hash && again.check().isValid)
    }

    @Test func `keep what another type or relationship shows`() throws {
        let (draft, parts, hash) = try fill()
        let model = try scenario.changedModel { declaration in
            for place in declaration.entities.indices {
                for number in declaration.entities[place].attributes.indices
                where declaration.entities[place].attributes[number].name == "size" {
                    declaration.entities[place].attributes[number].type = .string
                }
                for number in declaration.entities[place].relationships.indices {
                    switch declaration.entities[place].relationships[number].name {
                    case "draft":
                        declaration.entities[place].relationships[number].isToMany = true
                        declaration.entities[place].relationships[number].maxCount = nil
                    case "labels":
                        declaration.entities[place].relationships[number].isOrdered = true
                    default: break
                    }
                }
            }
        }
        let store = try scenario.open("a", model: model)
        #expect(try store.value("size", of: draft, "Draft") == .string("5"))
        #expect(try store.related(draft, "parts", of: "Draft") == parts)
        #expect(try store.related(parts[0], "draft", of: "Part") == [draft])
        #expect(try store.related(draft, "labels", of: "Draft") == [parts[1]])
        #expect(try store.canonicalHash() == hash && store.check().isValid)
        try store.link(draft, "parts", parts[0], of: "Draft", isAdded: false)
        #expect(try store.related(draft, "parts", of: "Draft") == [parts[1]])
    }

    @Test func `an alteration of the tables keeps them`() throws {
        let (draft, parts, hash) = try fill()
        let next = try scenario.changedModel { declaration in
            for place in declaration.entities.indices
            where declaration.entities[place].name == "Draft" {
                declaration.entities[place].attributes.append(
                    AttributeDeclaration("more", .integer64))
            }
        }
        let store = try scenario.open("a", model: next)
        #expect(try store.value("text", of: draft, "Draft") == .string("text"))
        #expect(try related("parts", of: draft, in: store) == parts)
        #expect(try store.canonicalHash() == hash && store.check().isValid)
    }

    @Test func `a removed entity's records are gone`() throws {
        let (_, parts, hash) = try fill()
        let next = try scenario.changedModel { declaration in
            declaration.entities.removeAll { ["Draft", "Part"].contains($0.name) }
            declaration.configurations = []
        }
        let store = try scenario.open("a", model: next)
        #expect(try store.canonicalHash() == hash && store.check().isValid)
        store.close()
        let again = try scenario.open("a")
        #expect(try again.row("Part", parts[0]) == nil)
        #expect(try again.read { try $0.unsyncedSaves(after: 0, limit: 9) }.count == 1)
    }

    @Test func `no entity moves between what is synced and what is not`() throws {
        _ = try fill()
        let next = try scenario.changedModel { $0.configurations = [] }
        let error = storeError { _ = try scenario.open("a", model: next) }
        #expect(error?.code == .migrationNotInferred && error?.entity == "Draft")
        #expect(error?.message.contains("another name") == true)
        #expect(try scenario.open("a").check().isValid)
    }
}
