import AnabranchModel
import AnabranchReplication
import AnabranchSQLite
import Foundation
import TestSupport
import Testing

@testable import AnabranchStore

/// What a save of one object writes, page by page (decisions 27 and 31).
@Suite struct `The pages of a save` {
    private let scenario: StoreScenario
    private var note: EntityDescription { scenario.model.entity(named: "Note")! }

    init() throws {
        scenario = try StoreScenario(
            model: try ManagedObjectModel {
                EntityDeclaration("Note") {
                    AttributeDeclaration("title", .string)
                    AttributeDeclaration("place", .integer64)
                    IndexDeclaration("byPlace", on: "place")
                }
            })
    }

    private func insert(
        _ ids: some Sequence<LocalID>, into store: Store
    ) throws {
        var request = SaveRequest(author: "app")
        request.inserts = [.init(entity: note, rows: ids.map { ($0, slots($0)) })]
        _ = try store.save(request)
    }

    private func slots(_ id: LocalID) -> [PropertyValue] {
        var slots = [PropertyValue](repeating: .null, count: note.slots.count)
        slots[note.slotIndex(named: "title")!] = .string("Note \(id)")
        // Neighbours have other places, so the index is written at any page.
        slots[note.slotIndex(named: "place")!] = .integer(Int64(id * 7919 % 5000))
        return slots
    }

    private func change(_ id: LocalID, in store: Store) throws {
        let title = note.slotIndex(named: "title")!
        var slots = slots(id)
        slots[title] = .string(String("Note \(id)".reversed()))
        var request = SaveRequest(author: "app")
        request.updates = [
            .init(entity: note, slots: [title], rows: [(id, try version(id, store), slots)])
        ]
        _ = try store.save(request)
    }

    private func frameCount() throws -> Int {
        let log = try FileManager.default.attributesOfItem(atPath: scenario.path("a") + "-wal")
        return ((log[.size] as? Int) ?? 0) / (4096 + 24)
    }

    /// The pages that each of some saves writes.
    private func pagesEach(
        _ saves: Int, of store: Store, _ save: (Int) throws -> Void
    ) throws -> Double {
        // The log of pages begins anew, and is too short to be copied before the end.
        try store.withWriter { _ = try $0.firstValue("PRAGMA wal_checkpoint(TRUNCATE)") }
        let before = try frameCount()
        for number in 0..<saves { try save(number) }
        return Double(try frameCount() - before) / Double(saves)
    }

    @Test func `are four, besides those that fill up`() throws {
        let store = try scenario.open("a")
        let first = try store.reserveNumbers(5000).lowerBound
        try insert(first..<first + 4000, into: store)
        try insert([first + 4000], into: store)
        let inserted = try pagesEach(60, of: store) {
            try insert([first + 4001 + Int64($0)], into: store)
        }
        #expect(inserted >= 3 && inserted < 4.3)

        // A row gets longer when another save first writes one of its properties.
        for number in 0..<60 { try change(first + Int64(number * 50), in: store) }
        let changed = try pagesEach(60, of: store) { try change(first + Int64($0 * 50), in: store) }
        #expect(changed >= 2 && changed < 3.3)

        let deleted = try pagesEach(60, of: store) { number in
            let id = first + 4001 + Int64(number)
            var request = SaveRequest(author: "app")
            request.deletes = [.init(entity: note, rows: [(id, try version(id, store))])]
            _ = try store.save(request)
        }
        #expect(deleted >= 3 && deleted < 4.3)
    }

    private func version(_ id: LocalID, _ store: Store) throws -> RowVersion {
        try store.read { reader in
            let statement = try reader.connection.cached(
                reader.schema.layout(of: note).versionSQL)
            try statement.bind(id, at: 1)
            defer { statement.reset() }
            _ = try statement.step()
            return RowVersion(statement.int64(at: 1))
        }
    }
}
