import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests of records that a save compares without writing them, and of the keys that it reports.
@Suite struct `A save that compares` {
    let scenario: StoreScenario
    let store: Store

    init() throws {
        scenario = try StoreScenario(
            model: ManagedObjectModel {
                EntityDeclaration("Person") {
                    AttributeDeclaration("email", .string)
                    AttributeDeclaration("phone", .string)
                    AttributeDeclaration("age", .integer64)
                    UniquenessConstraint("email")
                    UniquenessConstraint("phone")
                }
                EntityDeclaration("Guest", parent: "Person") {
                    AttributeDeclaration("room", .integer64)
                }
            })
        store = try scenario.open("a")
    }

    private var person: EntityDescription { scenario.model.entity(named: "Person")! }

    @Test func `fails where a record is not as it was read, and names every one`() throws {
        let ids = try (0..<4).map { try store.insert("Person", ["age": .integer($0)]) }
        let versions = try ids.map { try store.row("Person", $0)!.version }
        _ = try store.update("Person", ids[1], ["age": .integer(9)])
        var request = SaveRequest()
        request.checks = [.init(entity: person, rows: Array(zip(ids, versions).map { ($0, $1) }))]
        request.deletes = [.init(entity: person, rows: [(ids[3], versions[3])])]
        request.checks[0].rows.removeLast()
        request.checks[0].rows.append((id: 1 << 30, version: versions[0]))
        let hash = try store.canonicalHash()
        let error = storeError { _ = try store.save(request) }
        #expect(error?.code == .mergeConflict && error?.records == [ids[1], 1 << 30])
        #expect(try store.canonicalHash() == hash)
        request.checks[0].rows = [(ids[0], versions[0]), (ids[2], versions[2])]
        _ = try store.save(request)
        #expect(try store.row("Person", ids[3]) == nil)
    }

    @Test func `compares nothing where it has nothing to write`() throws {
        var request = SaveRequest()
        request.checks = [.init(entity: person, rows: [(id: 1 << 30, version: .none)])]
        #expect(request.isEmpty)
        #expect(try store.save(request).dot == nil)
    }

    @Test func `reports every key that several records would hold`() throws {
        let stored = try store.insert("Person", ["email": .string("e")])
        let guest = scenario.model.entity(named: "Guest")!
        let ids = Array(try store.reserveNumbers(5))
        var request = SaveRequest()
        request.inserts = [
            .init(
                entity: person,
                rows: [
                    (
                        ids[0],
                        store.slots(of: person, ["email": .string("e"), "phone": .string("p")])
                    ),
                    (ids[1], store.slots(of: person, ["email": .string("x")])),
                    (ids[2], store.slots(of: person, ["email": .string("x")])),
                ]),
            .init(
                entity: guest,
                rows: [
                    (ids[3], store.slots(of: guest, ["email": .string("x")])),
                    (ids[4], store.slots(of: guest, ["phone": .string("p")])),
                ]),
        ]
        let error = storeError { _ = try store.save(request) }
        #expect(error?.code == .constraintConflict)
        let conflicts = (error?.underlying as? KeyConflicts)?.all ?? []
        let found = conflicts.map { ($0.attributes[0].name, Set($0.records)) }
        #expect(found.count == 3 && conflicts.allSatisfy { $0.owner == person })
        for expected in [
            ("email", Set([stored, ids[0]])), ("email", Set(ids[1...3])),
            ("phone", Set([ids[0], ids[4]])),
        ] {
            #expect(found.contains { $0 == expected })
        }
    }
}
