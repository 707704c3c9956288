import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of saves in parts from correct and incorrect clients.
@Suite struct ZonePartTests {
    /// A save of some people, cut into parts of one person each.
    private struct Parted {
        let set: ChangeSet
        let parts: [[UInt8]]

        init(_ author: inout TestAuthor, _ parts: [[ChangeBlock]]) {
            self.init(
                author: &author,
                parts.map { [author] in
                    ChangePayload(blocks: $0).encoded(author: author.replica)
                })
        }

        init(author: inout TestAuthor, _ parts: [[UInt8]]) {
            self.parts = parts
            set = author.save(
                payload: PartList(parts.map { SavePart(of: $0) }).encoded(),
                as: .saveInParts)
        }

        static func people(_ author: inout TestAuthor, _ names: String...) -> Parted {
            let blocks = names.map { [ChangeBlock.person(author.newRecord(), name: $0)] }
            return Parted(&author, blocks)
        }
    }

    private func stage(
        _ bytes: [UInt8], of part: SavePart, at start: Int = 0, in zone: TestZone
    ) throws -> Int {
        Int(
            try zone.service.stage(
                StageRequest(part: part, start: UInt64(start), bytes: bytes)
            ).heldBytes)
    }

    private func stageAll(_ save: Parted, in zone: TestZone) throws {
        for part in save.parts {
            #expect(try stage(part, of: SavePart(of: part), in: zone) == part.count)
        }
    }

    private func partCount(_ zone: TestZone) throws -> Int {
        try zone.storage.read { reader in
            if let reader = reader as? PostgreSQLZoneReader {
                let sql = "SELECT count(*) FROM anabranch.part WHERE zone = $1"
                return Int(try #require(reader.query(sql).first).int64(at: 0))
            }
            let reader = try #require(reader as? SQLiteZoneReader)
            return Int(try reader.connection.integer("SELECT count(*) FROM part"))
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a save is accepted when all its parts are staged, and not before`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let save = Parted.people(&author, "Ada", "Grace", "Edsger")
        for (number, part) in save.parts.enumerated() {
            let response = try zone.push(save.set)
            #expect(response.acknowledgements.isEmpty && response.headPosition == 0)
            #expect(response.refusal?.code == .missingParts)
            #expect(response.refusal?.details["part"] == "\(number)")
            #expect(response.refusal?.details["held"] == "0")
            #expect(try zone.records().isEmpty)
            // The part comes in two pieces, and the zone reports what it has, also after a restart.
            let named = SavePart(of: part)
            #expect(try stage(Array(part[..<10]), of: named, in: zone) == 10)
            try zone.reopen()
            #expect(try zone.push(save.set).refusal?.details["held"] == "10")
            #expect(try stage(Array(part[10...]), of: named, at: 10, in: zone) == part.count)
        }
        let response = try zone.push(save.set)
        #expect(response.refusal == nil && response.acknowledgements.map(\.position) == [1])
        #expect(try zone.records().count == 3)
        #expect(try zone.pullAll().sets == [save.set])
        #expect(try zone.push(save.set).acknowledgements == response.acknowledgements)
        let endpoint = ZoneEndpoint(zone.service)
        for part in save.parts { #expect(try endpoint.bytes(of: SavePart(of: part)) == part) }
        #expect(try zone.service.verify().isValid)
    }

    @Test(arguments: StorageKind.allCases)
    func `pieces that come doubled, out of order or too long change nothing`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let save = Parted.people(&author, "Ada")
        let part = save.parts[0]
        let named = SavePart(of: part)
        #expect(try stage(Array(part[20...]), of: named, at: 20, in: zone) == 0)
        #expect(try stage([], of: named, in: zone) == 0)
        #expect(try stage(Array(part[..<20]), of: named, in: zone) == 20)
        #expect(try stage(Array(part[..<20]), of: named, in: zone) == 20)
        #expect(try stage(Array(part[..<15]), of: named, at: 5, in: zone) == 20)
        let late = StageRequest(part: named, start: 20, bytes: part)
        #expect(throws: ProtocolError.self) { try StageRequest(decoding: late.encoded()) }
        #expect(try stage(Array(part[20...]), of: named, at: 20, in: zone) == part.count)
        #expect(try stage(part, of: named, in: zone) == part.count)
        #expect(try zone.push(save.set).refusal == nil)
        #expect(try stage(part, of: named, in: zone) == part.count)
        #expect(try zone.records().count == 1)
    }

    @Test(arguments: StorageKind.allCases)
    func `bytes that are not what their digest names are dropped`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let save = Parted.people(&author, "Ada")
        let part = save.parts[0]
        let named = SavePart(of: part)
        var wrong = part
        wrong[9] ^= 1
        let error = #expect(throws: ProtocolError.self) { try stage(wrong, of: named, in: zone) }
        #expect(error?.code == .invalidChangeSet)
        #expect(try partCount(zone) == 0)
        // A beginning under another size does not count as the whole of this part.
        let longer = SavePart(digest: named.digest, byteCount: part.count + 1)
        #expect(try stage(wrong, of: longer, in: zone) == part.count)
        #expect(try zone.push(save.set).refusal?.details["held"] == "0")
        #expect(try stage(part, of: named, in: zone) == part.count)
        #expect(try zone.push(save.set).refusal == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `staged parts are sent to no client, and are removed after a time without progress`(
        kind: StorageKind
    ) throws {
        let time = TestTime()
        let zone = try TestZone(kind, clock: { time.milliseconds })
        var author = TestAuthor(1)
        let (first, second) = (Parted.people(&author, "Ada"), Parted.people(&author, "Grace"))
        try stageAll(first, in: zone)
        let named = SavePart(of: first.parts[0])
        let error = #expect(throws: ProtocolError.self) {
            try zone.service.part(PartRequest(part: named, start: 0, byteLimit: 100))
        }
        #expect(error?.code == .unknownPart)
        time.milliseconds += zone.limits.stageMilliseconds + 1
        try stageAll(second, in: zone)
        #expect(try partCount(zone) == 1)
        #expect(try zone.push(first.set, second.set).refusal?.details["part"] == "0")
        try stageAll(first, in: zone)
        #expect(try zone.push(first.set, second.set).refusal == nil)
        #expect(try zone.records().count == 2)
    }

    @Test(arguments: StorageKind.allCases)
    func `a stage is bounded, a part and a save too`(kind: StorageKind) throws {
        var limits = ZoneLimits()
        limits.stagedBytes = 150
        limits.partBytes = 200
        limits.saveBytes = 300
        let zone = try TestZone(kind, limits: limits)
        var author = TestAuthor(1)
        let save = Parted.people(&author, "Ada", "Grace", "Edsger", "Barbara")
        var staged = 0
        let full = #expect(throws: ProtocolError.self) {
            for part in save.parts {
                staged += try stage(part, of: SavePart(of: part), in: zone)
            }
        }
        #expect(full?.code == .storageFull && staged > 0 && staged <= 150)
        let large = SavePart(digest: Digest(of: [1]), byteCount: 201)
        let error = #expect(throws: ProtocolError.self) { try stage([1], of: large, in: zone) }
        #expect(error?.code == .bodyTooLarge)
        // The save is too large by its list alone. It becomes a void, and the next save is
        // accepted.
        #expect(save.set.savedBytes < 300)
        var other = TestAuthor(2)
        let list = PartList((0..<4).map { SavePart(digest: Digest(of: [$0]), byteCount: 100) })
        let huge = other.save(payload: list.encoded(), as: .saveInParts)
        let response = try zone.push(huge)
        #expect(response.acknowledgements.first?.rejection?.code == .tooLarge)
    }

    @Test(arguments: StorageKind.allCases)
    func `a save of which one part is wrong becomes a void, and nothing of it stays`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let good = Parted.people(&author, "Ada")
        try stageAll(good, in: zone)
        _ = try zone.push(good.set)
        let hash = try zone.service.canonicalHash().hash
        let record = author.newRecord()
        let twice = ChangePayload(blocks: [.person(record, name: "Twice")]).encoded(
            author: author.replica)
        let unknown = WireProperty(name: "x", type: .string, rule: MergeRule(rawValue: 99))
        let later = ChangePayload(blocks: [
            .update(
                RowBlock(
                    entity: "Person", records: [record], properties: [unknown],
                    columns: [[.string("")]]))
        ]).encoded(author: author.replica)
        let fine = ChangePayload(blocks: [.person(author.newRecord(), name: "Fine")]).encoded(
            author: author.replica)
        let wrong: [([[UInt8]], SaveRejection.Code)] = [
            ([fine, [1, 2, 3]], .malformed), ([fine, twice, twice], .malformed),
            ([fine, later], .unsupportedRule),
        ]
        for (parts, code) in wrong {
            let save = Parted(author: &author, parts)
            for part in parts { _ = try stage(part, of: SavePart(of: part), in: zone) }
            let response = try zone.push(save.set)
            #expect(response.refusal == nil)
            #expect(response.acknowledgements.first?.rejection?.code == code)
            #expect(try zone.service.canonicalHash().hash == hash)
            #expect(try partCount(zone) == 1)
        }
        #expect(try zone.service.verify().isValid)
    }

    @Test(arguments: StorageKind.allCases)
    func `a save that makes a record too large in combination with earlier ones becomes a void`(
        kind: StorageKind
    ) throws {
        var limits = ZoneLimits()
        limits.recordBytes = 3000
        let zone = try TestZone(kind, limits: limits)
        var (author, other) = (TestAuthor(1), TestAuthor(2))
        let record = author.newRecord()
        let first = author.save([.person(record, name: String(repeating: "a", count: 2000))])
        #expect(try zone.push(first).refusal == nil)
        func motto(_ count: Int) -> ChangeBlock {
            .update(
                RowBlock(
                    entity: "Person", records: [record],
                    properties: [WireProperty(name: "motto", type: .string)],
                    columns: [[.string(String(repeating: "b", count: count))]]))
        }
        let response = try zone.push(other.save([motto(2000)]))
        #expect(response.refusal == nil)
        #expect(response.acknowledgements.first?.rejection?.code == .tooLarge)
        // The saves after it are accepted.
        let next = try zone.push(other.save([motto(500)]))
        #expect(next.acknowledgements.map { $0.rejection?.code } == [nil])
        let held = try zone.records()
        #expect(held.flatMap(\.cells).map(\.property.name).sorted() == ["age", "motto", "name"])
        #expect(try zone.service.verify().isValid)
    }

    @Test(arguments: StorageKind.allCases)
    func `the operator's rules see every part`(kind: StorageKind) throws {
        let zone = try TestZone(
            kind,
            validation: PushValidation { set, _ in
                try set.decodedPayload().blocks.contains { block in
                    if case .insert(let rows) = block {
                        rows.columns[0] == [.string("Eve")]
                    } else {
                        false
                    }
                } ? SaveRejection(.notAllowed, "No.") : nil
            })
        var author = TestAuthor(1)
        let (good, bad) = (
            Parted.people(&author, "Ada", "Bob"), Parted.people(&author, "Ada", "Eve", "Bob")
        )
        try stageAll(good, in: zone)
        try stageAll(bad, in: zone)
        let response = try zone.push(good.set, bad.set)
        #expect(response.acknowledgements.map { $0.rejection?.code } == [nil, .notAllowed])
        #expect(try zone.records().count == 2)
    }

    @Test(arguments: StorageKind.allCases)
    func `a compaction forgets the parts with the save`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let saves = (0..<4).map { Parted.people(&author, "A\($0)", "B\($0)") }
        for save in saves {
            try stageAll(save, in: zone)
            #expect(try zone.push(save.set).refusal == nil)
        }
        #expect(try partCount(zone) == 8)
        _ = try zone.service.compact(keeping: 1)
        #expect(try partCount(zone) == 2)
        let gone = SavePart(of: saves[0].parts[0])
        let error = #expect(throws: ProtocolError.self) {
            try zone.service.part(PartRequest(part: gone, start: 0, byteLimit: 100))
        }
        #expect(error?.code == .unknownPart)
        // Its dot stays used.
        #expect(try zone.push(saves[0].set).acknowledgements.map(\.position) == [1])
    }
}

private final class TestTime: @unchecked Sendable {
    var milliseconds: Int64 = 1_700_000_000_000
}
