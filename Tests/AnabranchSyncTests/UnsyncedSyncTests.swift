import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import AnabranchServer
import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import AnabranchSync

/// Tests of stores with people that are synced, and drafts that are kept in one store only.
@Suite struct `Unsynced records` {
    private let scenario: EngineScenario
    private let model: ManagedObjectModel
    private let names: SmallModel

    init() throws {
        var limits = ZoneLimits()
        limits.chunkBytes = 300
        scenario = try EngineScenario(limits: limits)
        model = try Self.model(isSynced: false)
        names = try SmallModel(model)
    }

    /// The scenario's model with an entity for drafts.
    private static func model(isSynced: Bool) throws -> ManagedObjectModel {
        var declaration = try SmallModel().model.declaration
        declaration.entities.append(
            EntityDeclaration("Draft", deletePolicy: .updateWins) {
                AttributeDeclaration("text", .string)
            })
        declaration.configurations = [ModelConfiguration("Local", "Draft", isSynced: isSynced)]
        return try ManagedObjectModel(declaration)
    }

    private func open(_ name: String) throws -> Store { try scenario.open(name, model: model) }

    /// A store with a hundred people, and drafts of its own, in a zone that forgets its log.
    private func compactedZone() async throws -> Store {
        let a = try open("a.db")
        for person in 0..<100 { try a.insert("person \(person)", age: Int64(person), names) }
        for number in 0..<5 { try a.insertDraft("a\(number)") }
        for person in 0..<20 { try a.setAge(1000, of: "person \(person)", names) }
        try await scenario.engine(a).synchronize()
        _ = try scenario.zone.compact(keeping: 5)
        return a
    }

    @Test func `survive a snapshot that replaces everything else`() async throws {
        let a = try await compactedZone()
        let b = try open("b.db")
        for number in 0..<3 { try b.insertDraft("b\(number)") }
        try b.insert("Cleo", names)
        try await scenario.engine(b).synchronize()
        try await scenario.engine(a).synchronize()
        try scenario.expectConverged([a, b])
        #expect(try b.people(names).count == 101)
        #expect(try a.drafts() == ["a0", "a1", "a2", "a3", "a4"])
        #expect(try b.drafts() == ["b0", "b1", "b2"])
        #expect(try b.check().isValid)
        try b.insertDraft("b3")
        #expect(try b.drafts().count == 4 && b.pending(byteLimit: .max).isEmpty)
    }

    @Test func `are no part of a repair or a comparison with the zone`() async throws {
        let a = try await compactedZone()
        let people = try a.people(names).compactMap { try a.recordID(of: $0.id) }
        try a.queueForRepair(people)
        let engine = try scenario.engine(a)
        try await engine.synchronize()
        let verification = try await engine.verify()
        #expect(verification.result == .equal && verification.differences.isEmpty)
        #expect(try a.drafts().count == 5)
        try scenario.expectConverged([a])
    }

    @Test func `stay in a copy of the file, and in both`() async throws {
        let a = try await compactedZone()
        a.close()
        try scenario.copy("a.db", to: "b.db")
        let stores = [try open("a.db"), try open("b.db")]
        for (place, store) in stores.enumerated() {
            try store.insertDraft("\(place)")
            try store.insert("new \(place)", names)
        }
        for store in stores + stores { try await scenario.engine(store).synchronize() }
        try scenario.expectConverged(stores)
        #expect(try stores[0].replica != stores[1].replica)
        for (place, store) in stores.enumerated() {
            #expect(try store.drafts() == ["\(place)", "a0", "a1", "a2", "a3", "a4"])
            #expect(try store.people(names).count == 102)
            #expect(try store.check().isValid)
        }
    }

    @Test func `are in no bundle`() throws {
        let a = try open("a.db")
        try a.insert("Anna", names)
        try a.insertDraft("a")
        try a.insertDraft("b")
        let b = try open("b.db")
        #expect(try b.take(scenario.bundle(a)).waitingCount == 0)
        #expect(try b.names(names).count == 1 && b.drafts().isEmpty)
        #expect(try a.canonicalHash() == b.canonicalHash())
    }

    @Test func `stay apart from those of a replica that syncs the entity`() async throws {
        let a = try open("a.db")
        try a.insertDraft("local")
        let b = try scenario.open("b.db", model: try Self.model(isSynced: true))
        let shared = try b.insertDraft("shared")
        try b.insert("Anna", names)
        for store in [b, a, b] { try await scenario.engine(store).synchronize() }
        try scenario.expectConverged([a, b])
        #expect(try a.drafts() == ["local"] && b.drafts() == ["shared"])
        try b.deleteDraft(shared)
        try a.insertDraft("second")
        for store in [b, a] { try await scenario.engine(store).synchronize() }
        try scenario.expectConverged([a, b])
        #expect(try a.drafts() == ["local", "second"] && b.drafts().isEmpty)
        #expect(try a.check().isValid && b.check().isValid)
    }
}

extension SmallModel {
    /// The names in a model that has more entities.
    init(_ model: ManagedObjectModel) throws {
        self.model = model
        person = try #require(model.entity(named: "Person"))
        name = try #require(person.slotIndex(named: "name"))
        age = try #require(person.slotIndex(named: "age"))
    }
}

extension Store {
    private var draft: EntityDescription { model.entity(named: "Draft")! }

    @discardableResult
    fileprivate func insertDraft(_ text: String) throws -> LocalID {
        let id = try reserveNumbers(1).lowerBound
        var request = SaveRequest(author: "app")
        request.inserts = [.init(entity: draft, rows: [(id, [.string(text)])])]
        return try save(request).renamed[id] ?? id
    }

    fileprivate func deleteDraft(_ id: LocalID) throws {
        let row = try #require(try draftRows().first { $0.id == id })
        var request = SaveRequest(author: "app")
        request.deletes = [.init(entity: draft, rows: [(id, row.version)])]
        _ = try save(request)
    }

    fileprivate func drafts() throws -> [String] {
        try draftRows().compactMap {
            guard case .string(let text) = $0.slots[0] else { return nil }
            return text
        }.sorted()
    }

    private func draftRows() throws -> [RowSnapshot] {
        try read { reader in
            let table = reader.schema.layout(of: draft).table.name
            let ids = try reader.connection.rows("SELECT ab_pk FROM \(table)")
                .compactMap { row -> LocalID? in
                    guard case .integer(let id)? = row.first else { return nil }
                    return id
                }
            var rows: [RowSnapshot] = []
            try reader.rows(of: draft, ids: ids) { rows.append(RowSnapshot($0)) }
            return rows
        }
    }
}
