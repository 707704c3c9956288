import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// The work of a store with what another replica sends grows with it, and not faster.
struct StoreGrowthTests {
    /// What grows. The number is the least size that is measured.
    enum Direction: Int, CaseIterable, Sendable, CustomTestStringConvertible {
        case changeSets = 100
        case records = 1000
        case links = 400
        case deletes = 300
        case causes = 101

        var testDescription: String { "\(self)" }
    }

    @Test(arguments: Direction.allCases)
    func `the work of applying is at most proportional`(direction: Direction) throws {
        let factor = try Growth.factor(from: direction.rawValue) { size in
            let (store, page) = try Self.page(direction, size)
            return {
                _ = try store.apply(page)
                store.close()
            }
        }
        #expect(factor < Growth.limit)
    }

    @Test func `the work of a hash, a check and a repair is at most proportional`() throws {
        for job in 0..<3 {
            let factor = try Growth.factor(from: 400) { size in
                let (store, page) = try Self.page(.links, size)
                _ = try store.apply(page)
                let replica = RemoteAuthor(1).replica
                let images = (1...size).map {
                    RecordImage(id: RecordID(replica: replica, number: UInt64($0)))
                }
                return {
                    switch job {
                    case 0: _ = try store.canonicalHash()
                    case 1: #expect(try store.check().isValid)
                    default:
                        let prefix = CausalContext.Prefix(
                            epoch: page.cursor.epoch, position: page.cursor.position)
                        _ = try store.repair(images, at: prefix)
                    }
                    store.close()
                }
            }
            #expect(factor < Growth.limit, "job \(job)")
        }
    }

    /// A store that holds the beginning of a log, and the page that follows.
    private static func page(
        _ direction: Direction, _ size: Int
    ) throws -> (Store, RemotePage) {
        let scenario = try StoreScenario()
        let store = try scenario.open("store")
        var author = RemoteAuthor(1)
        let (insert, records) = author.insertPeople(
            [.records, .links, .deletes].contains(direction) ? size + 1 : 2)
        let (before, after) = changeSets(direction, size, insert, records, &author)
        for set in before { scenario.zone.append(set) }
        if !before.isEmpty { try scenario.zone.pull(into: store) }
        for set in after { scenario.zone.append(set) }
        return (store, try scenario.zone.page(for: store))
    }

    /// The change sets that the store holds, and those that are measured.
    private static func changeSets(
        _ direction: Direction, _ size: Int, _ insert: ChangeSet, _ records: [RecordID],
        _ author: inout RemoteAuthor
    ) -> ([ChangeSet], [ChangeSet]) {
        switch direction {
        case .records: return ([], [insert])
        case .changeSets:
            return ([insert], (0..<size).map { author.save([.name(records[0], "\($0)")]) })
        case .links:
            let blocks = records.dropFirst().map { ChangeBlock.friend(records[0], $0) }
            return ([insert], [author.save(blocks)])
        case .deletes:
            let blocks = records.map {
                ChangeBlock.delete(RecordBlock(entity: "Person", records: [$0]))
            }
            return ([insert], [author.save(blocks)])
        case .causes:
            let others = (0..<size).map { number in
                var other = RemoteAuthor(UInt64(number + 2))
                return other.insertPeople(1).0
            }
            author.context = CausalContext(
                beyond: others.map { .init(dot: $0.dot, originPrefix: $0.origin.prefix) })
            return ([insert] + others, [author.save([.name(records[0], "Bob")])])
        }
    }
}

/// A replica that creates change sets as a store does: numbered, chained and stamped.
private struct RemoteAuthor {
    let replica: ReplicaID
    var context = CausalContext.empty
    private var sequence: UInt64 = 0
    private var origin = Digest.zero
    private var clock = HybridClock()

    init(_ number: UInt64) { replica = ReplicaID(high: number, low: 0xB0B0) }

    mutating func save(_ blocks: [ChangeBlock]) -> ChangeSet {
        sequence += 1
        let set = ChangeSet(
            saving: ChangePayload(blocks: blocks).encoded(author: replica), as: .save,
            dot: Dot(replica: replica, sequence: sequence),
            timestamp: clock.tick(wallMilliseconds: 1_600_000_000_000) ?? .zero, author: "test",
            previousOrigin: origin, context: context)
        origin = set.origin
        return set
    }

    mutating func insertPeople(_ count: Int) -> (ChangeSet, [RecordID]) {
        let records = (1...count).map { RecordID(replica: replica, number: UInt64($0)) }
        let save = save([
            .insert(
                RowBlock(
                    entity: "Person", records: records,
                    properties: [WireProperty(name: "name", type: .string)],
                    columns: [ValueColumn(records.map { .string("Person \($0.number)") })]))
        ])
        return (save, records)
    }
}

extension ChangeBlock {
    fileprivate static func name(_ record: RecordID, _ name: String) -> ChangeBlock {
        .update(
            RowBlock(
                entity: "Person", records: [record],
                properties: [WireProperty(name: "name", type: .string)],
                columns: [[.string(name)]]))
    }

    private static let friends = WireProperty(name: "friends", type: .links, rule: .set)

    fileprivate static func friend(_ left: RecordID, _ right: RecordID) -> ChangeBlock {
        .link(
            LinkBlock(
                entity: "Person", property: friends, links: [.init(left: left, right: right)]))
    }
}
