import AnabranchProtocol
import AnabranchReplication
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of a hook of a zone that takes many saves in one transaction.
@Suite(.everyStore) struct ValidationGroupTests {
    private static let bad = SaveRejection(.init(rawValue: "validation-failed/bad"), "No.")

    private func zone(_ channel: FakeChannel) throws -> TestZone {
        var options = ValidationHook.Options()
        options.calls = 64
        return try TestZone(
            StorageKind.current, hook: ValidationHook(channel, options: options))
    }

    @Test func `pushes that share transactions keep their verdicts and their order`() throws {
        let channel = FakeChannel { $0.texts.contains("bad") ? "bad" : nil }
        let zone = try zone(channel)
        let service = zone.service
        let epoch = try service.head().epoch
        let outcomes = Mutex<[[SaveRejection?]]>([])
        startThreads(16) { number in
            var author = TestAuthor(UInt64(number + 1))
            for _ in 0..<5 {
                let sets = ["Ada", "bad", "Grace"].map { author.insertPerson($0).0.encoded() }
                let request = PushRequest(epoch: epoch, changeSets: sets)
                let response = try? service.push(request)
                let rejections = response?.acknowledgements.map(\.rejection) ?? []
                outcomes.withLock { $0.append(rejections) }
            }
        }.wait()
        #expect(outcomes.withLock { $0.count } == 80)
        #expect(outcomes.withLock { $0.allSatisfy { $0 == [nil, Self.bad, nil] } })
        #expect(channel.requests.count == 80)
        let log = try zone.pullAll().sets
        #expect(log.count == 240)
        #expect(log.filter { $0.kind == .void }.count == 80)
        for (_, sets) in Dictionary(grouping: log, by: \.dot.replica) {
            #expect(sets.map(\.dot.sequence) == Array(1...15))
            #expect(sets.filter { $0.kind == .void }.map(\.dot.sequence) == [2, 5, 8, 11, 14])
        }
        #expect(try zone.records().count == 160)
    }

    @Test func `a rejected save among those that make room for a refused one is a void`() throws {
        let channel = FakeChannel { $0.texts.contains("bad") ? "bad" : nil }
        let zone = try zone(channel)
        var quotas = ZoneQuotas()
        quotas[.records] = .most(1)
        try zone.service.setQuotas(quotas)
        var author = TestAuthor(1)
        let (first, ada) = author.insertPerson("Ada")
        #expect(try zone.push(first).refusal == nil)
        let waiting = ["Grace", "bad"].map { author.insertPerson($0).0 }
        #expect(try zone.push(waiting).refusal?.code == .quotaExceeded)
        let deletion = author.save([.delete(ada)])
        let response = try zone.push(waiting + [deletion])
        #expect(response.refusal == nil)
        #expect(response.acknowledgements.map(\.position) == [2, 3, 4])
        #expect(response.acknowledgements.map(\.rejection) == [nil, Self.bad, nil])
        #expect(try zone.records().count == 1)
        #expect(try zone.service.verify().isValid)
    }

    @Test func `a hook that is slow for one zone holds no push of another`() throws {
        let slot = CheckedSlot()
        let entered = Mutex(0)
        let channel = FakeChannel { shown in
            guard shown.texts.contains("slow") else { return nil }
            entered.withLock { $0 += 1 }
            slot.wait()
            return nil
        }
        let server = try TestServer {
            $0.http.workers = 16
            $0.hook = ValidationHook(channel)
        }
        let epoch = try server.hello().epoch
        let statuses = Mutex<[Int]>([])
        let pushes = startThreads(8) { number in
            var author = TestAuthor(UInt64(number + 1))
            let request = PushRequest(
                epoch: epoch, changeSets: [author.insertPerson("slow").0.encoded()])
            let response = try? server.post("/v1/zones/test/push", request.encoded())
            statuses.withLock { $0.append(response?.status ?? 0) }
        }
        // Of eight pushes two are shown, two wait, and the others are to be repeated.
        while entered.withLock({ $0 }) < 2 || statuses.withLock({ $0.count }) < 4 {
            usleepShortly()
        }
        let right = ["Authorization: Bearer \(server.otherZoneToken)"]
        var author = TestAuthor(99)
        let hello = HelloRequest(
            replica: author.replica, last: nil, cursor: nil, wallMilliseconds: 0)
        let other = try HelloResponse(
            decoding: try server.post(
                "/v1/zones/other/hello", hello.encoded(), role: nil, extra: right
            ).body)
        for _ in 0..<5 {
            let request = PushRequest(
                epoch: other.epoch, changeSets: [author.insertPerson().0.encoded()])
            let response = try server.post(
                "/v1/zones/other/push", request.encoded(), role: nil, extra: right)
            #expect(response.status == 200)
        }
        #expect(statuses.withLock { $0 } == [503, 503, 503, 503])
        for _ in 0..<4 { slot.open() }
        pushes.wait()
        #expect(statuses.withLock { $0.sorted() } == [200, 200, 200, 200, 503, 503, 503, 503])
    }
}
