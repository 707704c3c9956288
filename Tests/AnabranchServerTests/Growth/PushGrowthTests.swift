import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// The work of a push grows with its input, and not faster, in each direction in which a client can
/// make it large.
@Suite struct PushGrowthTests {
    /// A direction in which a push grows. The number is the least size that is measured.
    enum Direction: Int, CaseIterable, Sendable, CustomTestStringConvertible {
        case changeSets = 100
        case heldChangeSets = 101
        case voids = 102
        case records = 1000
        case properties = 200
        case links = 500
        case linkChanges = 80
        case siblingWrites = 60
        case causes = 103
        case deletes = 250
        case yieldingDeletes = 501
        case refusedByQuota = 50
        case makingRoom = 51
        case parts = 52

        var testDescription: String {
            switch self {
            case .changeSets: "change sets"
            case .heldChangeSets: "change sets that the zone holds"
            case .voids: "change sets that were rejected before"
            case .records: "records of a block"
            case .properties: "properties of a record, each in a block of its own"
            case .links: "links of a record"
            case .linkChanges: "changes of a link that has as many tags"
            case .siblingWrites: "writes of a value that has as many concurrent ones"
            case .causes: "replicas in the causal context"
            case .deletes: "deleted records, each in a block of its own"
            case .yieldingDeletes: "yielding deletes of a record"
            case .refusedByQuota: "saves that a quota refuses"
            case .makingRoom: "saves that make room for each other"
            case .parts: "parts of a save"
            }
        }
    }

    @Test(arguments: Direction.allCases)
    func `the work of a push is at most proportional`(direction: Direction) throws {
        let factor = try Growth.factor(from: direction.rawValue) { size in
            let push = try Self.push(direction, size)
            return { try push() }
        }
        #expect(factor < Growth.limit)
    }

    private static func push(
        _ direction: Direction, _ size: Int
    ) throws -> () throws -> Void {
        switch direction {
        case .changeSets, .heldChangeSets, .voids: try changeSets(direction, size)
        case .refusedByQuota, .makingRoom: try beyondQuota(direction, size)
        case .causes: try causes(size)
        case .parts: try parts(size)
        case .linkChanges: try linkChanges(size)
        case .siblingWrites: try siblingWrites(size)
        default: try save(direction, size)
        }
    }

    private static func changeSets(
        _ direction: Direction, _ size: Int
    ) throws -> () throws -> Void {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        let (insert, record) = author.insertPerson()
        _ = try zone.push(insert)
        let sets = (0..<size).map { number in
            author.save([
                direction == .voids
                    ? .person(record, name: "Again") : .rename(record, to: "\(number)")
            ])
        }
        if direction != .changeSets { _ = try zone.push(sets) }
        return {
            let answer = try zone.push(sets)
            #expect(answer.acknowledgements.count == size)
            let rejected = answer.acknowledgements.filter { $0.rejection != nil }
            #expect(rejected.count == (direction == .voids ? size : 0))
        }
    }

    /// A save of one kind of block, or of many of them.
    private static func save(
        _ direction: Direction, _ size: Int
    ) throws -> () throws -> Void {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        let (insert, records) = author.insertPeople(size + 1)
        if direction != .records { _ = try zone.push(insert) }
        let stamp = insert.stamp
        let blocks: [ChangeBlock] =
            switch direction {
            case .properties:
                (0..<size).map { number in
                    .update(
                        RowBlock(
                            entity: "Person", records: [records[0]],
                            properties: [WireProperty(name: WireName("p\(number)"), type: .string)],
                            columns: [[.string("x")]]))
                }
            case .links: records.dropFirst().map { .befriend(records[0], $0) }
            case .deletes: records.map { .delete($0) }
            case .yieldingDeletes:
                (0..<size).map { number in
                    let seen = Stamp(
                        timestamp: HybridTimestamp(rawValue: UInt64(number + 1)),
                        replica: stamp.replica)
                    return .yieldingDelete(
                        YieldingDeleteBlock(
                            entity: "Person",
                            deletes: [.init(record: records[0], stampsSeen: [seen])]))
                }
            default: []
            }
        let pushed = direction == .records ? insert : author.save(blocks)
        return { try expectAccepted(try zone.push(pushed)) }
    }

    private static func expectAccepted(_ answer: PushAnswer) throws {
        #expect(answer.refusal == nil)
        #expect(answer.acknowledgements.last?.rejection == nil)
    }

    private static func linkChanges(_ size: Int) throws -> () throws -> Void {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        let (insert, records) = author.insertPeople(2)
        let adds = (0..<size).map { _ in author.save([.befriend(records[0], records[1])]) }
        _ = try zone.push([insert] + adds)
        let unseen = Stamp(timestamp: HybridTimestamp(rawValue: 1), replica: author.replica)
        let change = author.save(
            (0..<20 * size).map { number in
                number % 2 == 0
                    ? .befriend(records[0], records[1])
                    : .unfriend(records[0], records[1], seen: [unseen])
            })
        return {
            try expectAccepted(try zone.push(change))
            #expect(try zone.records()[0].links.map(\.tags.all.count) == [size + 1])
        }
    }

    private static func siblingWrites(_ size: Int) throws -> () throws -> Void {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        let (insert, record) = author.insertPerson()
        let note = WireProperty(name: "note", type: .string, rule: .keepBoth)
        func write(_ text: String) -> ChangeBlock {
            .write(
                SiblingBlock(
                    entity: "Person", property: note,
                    writes: [.init(record: record, value: .string(text), observedTags: [])]))
        }
        let writes = (0..<size).map { author.save([write("\($0)")]) }
        _ = try zone.push([insert] + writes)
        let change = author.save((0..<20 * size).map { write("\($0)") })
        return {
            try expectAccepted(try zone.push(change))
            #expect(try zone.records()[0].cells.count == 2 + size + 1)
        }
    }

    private static func causes(_ size: Int) throws -> () throws -> Void {
        let zone = try TestZone(.sqlite)
        let saves = (0..<size).map { number in
            var author = TestAuthor(UInt64(number + 2))
            return author.insertPerson().0
        }
        _ = try zone.push(saves)
        var author = TestAuthor(1)
        author.context = CausalContext(
            beyond: saves.map { .init(dot: $0.dot, originPrefix: $0.origin.prefix) })
        let save = author.insertPerson().0
        return { try expectAccepted(try zone.push(save)) }
    }

    private static func beyondQuota(
        _ direction: Direction, _ size: Int
    ) throws -> () throws -> Void {
        let zone = try TestZone(.sqlite)
        var author = TestAuthor(1)
        var (insert, record) = author.insertPerson()
        _ = try zone.push(insert)
        var quotas = ZoneQuotas()
        quotas[.records] = .most(1)
        try zone.service.setQuotas(quotas)
        var sets: [ChangeSet] = []
        for _ in 0..<size {
            let former = record
            (insert, record) = author.insertPerson()
            sets += [insert]
            if direction == .makingRoom { sets.append(author.save([.delete(former)])) }
        }
        // All saves are tried together, up to the one that deletes something.
        if direction == .refusedByQuota { sets.append(author.save([.delete(author.newRecord())])) }
        return {
            let answer = try zone.push(sets)
            #expect((answer.refusal == nil) == (direction == .makingRoom))
        }
    }

    private static func parts(_ size: Int) throws -> () throws -> Void {
        var limits = ZoneLimits()
        limits.bodyBytes = 512
        let zone = try TestZone(
            .sqlite, limits: limits, hook: ValidationHook(FakeChannel { _ in nil }))
        var author = TestAuthor(1)
        let (save, parts) = author.insertInParts(size)
        for part in parts {
            _ = try zone.service.stage(
                StageRequest(part: SavePart(of: part), start: 0, bytes: part))
        }
        return { try expectAccepted(try zone.push(save)) }
    }
}
