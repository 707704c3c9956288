import AnabranchProtocol
import AnabranchReplication
import TestSupport
import Testing

@testable import AnabranchServer

@Suite struct ZoneServicePushTests {
    @Test(arguments: StorageKind.allCases)
    func `a pushed set is acknowledged with its position and comes back by a pull`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        let (second, _) = author.insertPerson("Grace")
        let response = try zone.push(first, second)
        #expect(response.refusal == nil)
        #expect(response.acknowledgements.map(\.position) == [1, 2])
        #expect(response.acknowledgements.map(\.dot) == [first.dot, second.dot])
        #expect(response.acknowledgements.map(\.digest) == [first.digest, second.digest])
        #expect(response.headPosition == 2)
        let (sets, cursor) = try zone.pullAll()
        #expect(sets == [first, second])
        let start = LogCursor(startOf: try zone.service.head().epoch)
        #expect(cursor == start.advanced(over: first).advanced(over: second))
    }

    @Test(arguments: StorageKind.allCases)
    func `a push that is repeated changes nothing and is acknowledged again`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        let once = try zone.push(first)
        let hash = try zone.service.canonicalHash()
        let twice = try zone.push(first)
        #expect(once == twice)
        #expect(try zone.service.canonicalHash() == hash)
        #expect(try zone.pullAll().sets.count == 1)
    }

    @Test(arguments: StorageKind.allCases)
    func `a save that the log holds under another name is acknowledged in the log's form`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        _ = try zone.push(first)
        let renamed = first.renamed(to: ReplicaID(high: 9, low: 9))
        let response = try zone.push(renamed)
        #expect(response.refusal == nil)
        #expect(response.acknowledgements.map(\.dot) == [first.dot])
        #expect(response.acknowledgements.map(\.digest) == [first.digest])
        #expect(response.acknowledgements.map(\.originPrefix) == [renamed.origin.prefix])
        #expect(response.headPosition == 1)
        #expect(try zone.push(first).acknowledgements.map(\.originPrefix) == [nil])
    }

    @Test(arguments: StorageKind.allCases)
    func `change sets before a refused one are kept, and those after it are ignored`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        var late = author
        late.context = CausalContext(
            beyond: [
                .init(dot: Dot(replica: ReplicaID(high: 7, low: 7), sequence: 1), originPrefix: 1)
            ])
        let (second, _) = late.insertPerson("Grace")
        let (third, _) = late.insertPerson("Edsger")
        let response = try zone.push(first, second, third)
        #expect(response.acknowledgements.count == 1)
        #expect(response.refusal?.code == .missingCauses)
        #expect(response.refusal?.details["sequence"] == "2")
        #expect(response.refusal?.details["causeNext"] == "1")
        #expect(try zone.pullAll().sets == [first])
        #expect(try zone.records().count == 1)
    }

    @Test(arguments: StorageKind.allCases)
    func `nothing of a set that inserts a held record is applied`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, record) = author.insertPerson()
        _ = try zone.push(first)
        let hash = try zone.service.canonicalHash().hash
        let other = author.newRecord()
        let bad = author.save([
            .rename(record, to: "changed"), .person(other, name: "new"),
            .person(record, name: "again"),
        ])
        #expect(try zone.push(bad).acknowledgements.map(\.rejection?.code) == [.malformed])
        #expect(try zone.service.canonicalHash().hash == hash)
    }

    @Test(arguments: StorageKind.allCases)
    func `a sequence gap names the sequence to push from`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        let (_, _) = author.insertPerson()
        let (third, _) = author.insertPerson()
        _ = try zone.push(first)
        let refusal = try zone.push(third).refusal
        #expect(refusal?.code == .sequenceGap)
        #expect(refusal?.details["sequence"] == "2")
        #expect(refusal?.details["replica"] == author.replica.description)
    }

    @Test(arguments: StorageKind.allCases)
    func `another set under a held dot, or behind another predecessor, is a fork`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        var twin = author
        let (first, _) = author.insertPerson("Ada")
        let (other, _) = twin.insertPerson("Grace")
        let (behindOther, _) = twin.insertPerson("Edsger")
        _ = try zone.push(first)
        let forked = try zone.push(other).refusal
        #expect(forked?.code == .forked)
        let origin = ["origin": first.origin.description]
        #expect(forked?.details == other.dot.details.merging(origin) { $1 })
        #expect(try zone.push(behindOther).refusal?.code == .forked)
    }

    @Test(arguments: StorageKind.allCases)
    func `a first set that claims a predecessor is malformed`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        let payload = ChangePayload(blocks: []).encoded(author: ReplicaID(high: 1, low: 1))
        let set = ChangeSet(
            saving: payload, dot: Dot(replica: ReplicaID(high: 1, low: 1), sequence: 1),
            timestamp: HybridTimestamp(wallMilliseconds: 1), previousOrigin: Digest(of: [1]),
            context: .empty)
        #expect(try zone.push(set).refusal?.code == .invalidChangeSet)
    }

    @Test(arguments: StorageKind.allCases)
    func `damaged bytes are refused, and the details say where`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        var bytes = author.insertPerson().0.encoded()
        bytes[40] ^= 1
        let epoch = try zone.service.head().epoch
        let response = try zone.service.push(PushRequest(epoch: epoch, changeSets: [bytes]))
        #expect(response.refusal?.code == .invalidChangeSet)
        #expect(response.refusal?.details["offset"] != nil)
        #expect(try zone.service.head().position == 0)
    }

    @Test(arguments: StorageKind.allCases)
    func `a rule or an operation that is not known is rejected as such`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let record = author.newRecord()
        let counter = author.save([
            .insert(
                RowBlock(
                    entity: "Person", records: [record],
                    properties: [
                        WireProperty(name: "visits", type: .double, rule: .counter)
                    ], columns: [[.double(1)]]))
        ])
        let move = author.save([.unknown(operation: 10, bytes: [1, 2, 3])])
        let response = try zone.push(counter, move)
        #expect(response.refusal == nil)
        #expect(
            response.acknowledgements.map(\.rejection?.code)
                == [.unsupportedRule, .unsupportedRule])
        #expect(response.acknowledgements[0].rejection?.reason.contains("counter") == true)
    }

    @Test(arguments: StorageKind.allCases)
    func `a set larger than the limit is rejected`(kind: StorageKind) throws {
        var limits = ZoneLimits()
        limits.saveBytes = 500
        let zone = try TestZone(kind, limits: limits)
        var author = TestAuthor(1)
        let (set, _) = author.insertPerson(String(repeating: "x", count: 500))
        let rejection = try zone.push(set).acknowledgements.first?.rejection
        #expect(rejection?.code == .tooLarge)
        #expect(rejection?.reason.contains("500") == true)
        #expect(try zone.records().isEmpty)
    }

    @Test(.long, arguments: StorageKind.allCases)
    func `a set of few bytes and very many values is rejected`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let records = (0..<4200).map { _ in author.newRecord() }
        let properties = (0..<4000).map { WireProperty(name: WireName("p\($0)"), type: .string) }
        let nulls = ValueColumn(repeatElement(.null, count: records.count))
        let set = author.save([
            .insert(
                RowBlock(
                    entity: "Wide", records: records, properties: properties,
                    columns: properties.map { _ in nulls }))
        ])
        #expect(set.payload.count < 200_000)
        #expect(try zone.push(set).acknowledgements.first?.rejection?.code == .malformed)
        #expect(try zone.records().isEmpty)
    }

    @Test(arguments: StorageKind.allCases)
    func `a zone refuses one replica more than its row keys can distinguish`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind, greatestOrdinal: 1)
        for number in UInt64(1)...2 {
            var author = TestAuthor(number)
            #expect(try zone.push(author.insertPerson().0).refusal == nil)
        }
        var third = TestAuthor(3)
        #expect(try zone.push(third.insertPerson().0).refusal?.code == .storageFull)
        var first = TestAuthor(1)
        _ = first.insertPerson()
        #expect(try zone.push(first.insertPerson().0).refusal == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `a push to another epoch is refused whole`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let request = PushRequest(
            epoch: EpochID(high: 1, low: 2), changeSets: [author.insertPerson().0.encoded()])
        #expect(throws: ProtocolError.self) { try zone.service.push(request) }
        #expect(try zone.service.head().position == 0)
    }
}

extension ChangeSet {
    /// Returns the same save under another replica's name, as for the losing branch of a fork.
    func renamed(to replica: ReplicaID, sequence: UInt64? = nil) -> ChangeSet {
        var renamed = ChangeSet(
            fromLog: kind, dot: Dot(replica: replica, sequence: sequence ?? dot.sequence),
            timestamp: timestamp, author: author, name: name, payload: payload,
            rewrittenFrom: dot, previousOrigin: previousOrigin, origin: origin, digest: digest,
            context: context)
        renamed = ChangeSet(
            fromLog: kind, dot: renamed.dot, timestamp: timestamp, author: author, name: name,
            payload: payload, rewrittenFrom: dot, previousOrigin: previousOrigin, origin: origin,
            digest: renamed.computedDigest(), context: context)
        return renamed
    }
}
