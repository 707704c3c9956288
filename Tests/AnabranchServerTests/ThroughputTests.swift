import AnabranchProtocol
import AnabranchReplication
import Foundation
import Testing

@testable import AnabranchServer

/// Prints the number of records that a zone accepts and returns in a second. Run it in release:
/// `ANABRANCH_MEASURE=1 swift test -c release -Xswiftc -enable-testing --filter Throughput`.
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["ANABRANCH_MEASURE"] != nil,
        "ANABRANCH_MEASURE is not set"))
struct ThroughputTests {
    static let sets = 100
    static let recordsASet = 1000

    @Test(arguments: StorageKind.allCases)
    func `records a second of inserts, updates, links and pulls`(kind: StorageKind) throws {
        var author = TestAuthor(1)
        let inserts = (0..<Self.sets).map { set in
            author.save([Self.insert((0..<Self.recordsASet).map { _ in author.newRecord() }, set)])
        }
        let records = inserts.indices.flatMap { set in
            (0..<Self.recordsASet).map {
                RecordID(
                    replica: author.replica, number: UInt64(set * Self.recordsASet + $0 + 1))
            }
        }
        let updates = stride(from: 0, to: records.count, by: Self.recordsASet).map { start in
            author.save([Self.rename(Array(records[start..<start + Self.recordsASet]))])
        }
        let links = stride(from: 0, to: records.count, by: Self.recordsASet).map { start in
            author.save([Self.link(Array(records[start..<start + Self.recordsASet]))])
        }
        for round in 1...3 {
            let zone = try TestZone(kind)
            try measure("round \(round) insert") { try zone.pushAll(inserts) }
            try measure("round \(round) update") { try zone.pushAll(updates) }
            try measure("round \(round) link  ") { try zone.pushAll(links) }
            try measure("round \(round) pull  ") { _ = try zone.pullBytes() }
        }
    }

    private func measure(_ title: String, _ body: () throws -> Void) rethrows {
        let clock = ContinuousClock()
        let time = try clock.measure(body)
        let count = Double(Self.sets * Self.recordsASet)
        let rate = count / (time / .seconds(1))
        print("\(title): \(Int(rate)) records/s (\(time))")
    }

    private static func insert(_ records: [RecordID], _ set: Int) -> ChangeBlock {
        .insert(
            RowBlock(
                entity: "Person", records: records,
                properties: [
                    ChangeBlock.name, WireProperty(name: "last", type: .string), ChangeBlock.age,
                ],
                columns: [
                    ValueColumn(records.map { .string("First \($0.number)") }),
                    ValueColumn(records.map { .string("Last \($0.number)") }),
                    ValueColumn(records.map { .integer(Int64($0.number % 100)) }),
                ]))
    }

    private static func rename(_ records: [RecordID]) -> ChangeBlock {
        .update(
            RowBlock(
                entity: "Person", records: records, properties: [ChangeBlock.name],
                columns: [ValueColumn(records.map { .string("Renamed \($0.number)") })]))
    }

    private static func link(_ records: [RecordID]) -> ChangeBlock {
        .link(
            LinkBlock(
                entity: "Person", property: ChangeBlock.friends,
                links: zip(records, records.reversed()).map { .init(left: $0, right: $1) }))
    }
}

extension TestZone {
    /// Pushes the encoded messages, as a server does.
    func pushAll(_ sets: [ChangeSet]) throws {
        let epoch = try service.head().epoch
        let body = PushRequest(epoch: epoch, changeSets: sets.map { $0.encoded() }).encoded()
        let answer = try service.push(PushRequest(decoding: body))
        #expect(answer.refusal == nil)
        let response = try PushResponse(decoding: answer.response.encoded())
        #expect(response.acknowledgedCount == UInt64(sets.count))
    }

    func pullBytes() throws -> Int {
        var cursor: LogCursor?
        var count = 0
        while true {
            let request = PullRequest(cursor: cursor, byteLimit: 1 << 20)
            let page = try service.pull(request)
            count += page.encoded().count
            cursor = page.cursor
            if page.cursor.position == page.headPosition { return count }
        }
    }
}
