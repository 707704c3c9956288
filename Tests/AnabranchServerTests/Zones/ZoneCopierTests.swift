import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of copies within and between the back ends.
@Suite struct ZoneCopierTests {
    /// A pair of back ends.
    struct Direction: Sendable, CustomTestStringConvertible {
        let source: StorageKind
        let target: StorageKind
        var testDescription: String { "\(source.rawValue) to \(target.rawValue)" }

        static let all = StorageKind.allCases.flatMap { source in
            StorageKind.allCases.map { Direction(source: source, target: $0) }
        }
    }

    private func copy(
        _ source: TestZone, to target: TestZone, replacing isReplaced: Bool = false,
        beginning epoch: EpochID? = nil
    ) throws -> ZoneCopier.Outcome {
        try ZoneCopier(
            source: source.storage, target: target.storage, recordBytes: Limits.largestPart
        ).copy(replacing: isReplaced, beginning: epoch)
    }

    private func expectSame(_ copy: TestZone, as zone: TestZone) throws {
        #expect(try copy.service.head() == zone.service.head())
        #expect(try copy.service.canonicalHash() == zone.service.canonicalHash())
        #expect(try copy.service.information().epochs == zone.service.information().epochs)
        #expect(
            try copy.storage.read { try $0.acknowledgements() }
                == zone.storage.read { try $0.acknowledgements() })
        #expect(try copy.service.verify().isValid)
    }

    @Test(arguments: Direction.all, TestLength.seeds(6))
    func `a copy that is continued at any moment equals the zone`(
        direction: Direction, seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let history = try RandomHistory(seed: seed, rules: .all)
        let zone = try TestZone(direction.source)
        let target = try TestZone(direction.target)
        var isFirst = true
        for changeSet in history.changeSets {
            #expect(try zone.push(changeSet).refusal == nil)
            guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
            let outcome = try copy(zone, to: target)
            if isFirst { #expect(outcome == .whole) } else { #expect(outcome != .whole) }
            isFirst = false
            try expectSame(target, as: zone)
        }
        _ = try copy(zone, to: target)
        try expectSame(target, as: zone)
        #expect(try copy(zone, to: target) == .unchanged)
        #expect(try target.pullAll().sets == zone.pullAll().sets)
    }

    @Test(arguments: Direction.all)
    func `a compacted log, dead records and parts are copied`(direction: Direction) throws {
        let zone = try TestZone(direction.source)
        var author = TestAuthor(1)
        let (first, deleted) = author.insertPerson()
        _ = try zone.push(first)
        for _ in 0..<10 { _ = try zone.push(author.insertPerson().0) }
        let payload = ChangePayload(blocks: [.person(author.newRecord(), name: "in parts")])
            .encoded(author: author.replica)
        let part = SavePart(of: payload)
        _ = try zone.service.stage(StageRequest(part: part, start: 0, bytes: payload))
        let inParts = author.save(payload: PartList([part]).encoded(), as: .saveInParts)
        #expect(try zone.push(inParts).refusal == nil)
        let deletion = author.save([
            .yieldingDelete(
                YieldingDeleteBlock(
                    entity: "Person",
                    deletes: [.init(record: deleted, stampsSeen: [first.stamp])]))
        ])
        #expect(try zone.push(deletion).refusal == nil)
        #expect(try zone.storage.read { try $0.counts().records } == 11)
        let target = try TestZone(direction.target)
        #expect(try copy(zone, to: target) == .whole)
        try expectSame(target, as: zone)
        let answer = try target.service.part(
            PartRequest(part: part, start: 0, byteLimit: 1 << 20))
        #expect(answer.bytes == payload)
        #expect(try zone.service.compact(keeping: 0).finalDeleteCount == 1)
        #expect(try copy(zone, to: target) != .unchanged)
        #expect(try target.service.head() == zone.service.head())
        #expect(try target.service.canonicalHash() == zone.service.canonicalHash())
        // The target goes on by itself: numbers that it assigns are new.
        var other = TestAuthor(2)
        #expect(try target.push(other.insertPerson().0).refusal == nil)
        #expect(try target.push(author.insertPerson().0).refusal == nil)
        #expect(try target.records().count == zone.records().count + 2)
    }

    @Test(arguments: Direction.all)
    func `a zone with a log of its own is replaced only if that is asked for`(
        direction: Direction
    ) throws {
        let zone = try TestZone(direction.source)
        var author = TestAuthor(1)
        _ = try zone.push(author.insertPerson().0)
        let target = try TestZone(direction.target)
        var other = TestAuthor(2)
        _ = try target.push(other.insertPerson().0)
        let before = try target.service.canonicalHash()
        let error = #expect(throws: StorageError.self) { try copy(zone, to: target) }
        #expect(error?.code == .notACopy)
        #expect(try target.service.canonicalHash() == before)
        #expect(try copy(zone, to: target, replacing: true) == .whole)
        try expectSame(target, as: zone)
    }

    @Test(arguments: Direction.all)
    func `a restored zone begins an epoch in which its clients continue`(
        direction: Direction
    ) throws {
        let zone = try TestZone(direction.source)
        var author = TestAuthor(1)
        let first = author.insertPerson().0
        _ = try zone.push(first)
        let cursor = try zone.pullAll().cursor
        let target = try TestZone(direction.target)
        _ = try copy(zone, to: target, beginning: EpochID(high: 7, low: 7))
        let beyond = author.insertPerson().0
        _ = try zone.push(beyond)
        #expect(try target.service.head() == ZoneHead(epoch: EpochID(high: 7, low: 7), position: 1))
        #expect(try target.hello(author, cursor: cursor).isCursorKnown)
        #expect(try !target.hello(author, cursor: cursor.advanced(over: beyond)).isCursorKnown)
        #expect(try target.push(beyond).acknowledgements.first?.position == 2)
    }
}
