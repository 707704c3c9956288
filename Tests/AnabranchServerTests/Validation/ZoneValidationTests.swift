import AnabranchProtocol
import AnabranchReplication
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of the hook that validates the pushes into a zone.
@Suite(.everyStore) struct ZoneValidationTests {
    private struct NoAnswer: Error {}

    private func zone(
        _ channel: FakeChannel, limits: ZoneLimits = ZoneLimits(),
        record: @escaping @Sendable (PushRecord) -> Void = { _ in }
    ) throws -> TestZone {
        try TestZone(
            StorageKind.current, limits: limits, hook: ValidationHook(channel), record: record)
    }

    private static let bad = SaveRejection(.init(rawValue: "validation-failed/bad"), "No.")

    @Test func `the new saves of a push are shown in one call, and a rejected one is a void`()
        throws
    {
        let channel = FakeChannel { $0.texts.contains("bad") ? "bad" : nil }
        let zone = try zone(channel)
        var author = TestAuthor(1)
        let sets = ["Ada", "bad", "Grace"].map { author.insertPerson($0).0 }
        let response = try zone.push(sets)
        #expect(response.refusal == nil)
        #expect(response.acknowledgements.map(\.rejection) == [nil, Self.bad, nil])
        #expect(channel.requests.map { $0.changeSets.map(\.sequence) } == [[1, 2, 3]])
        #expect(channel.requests.first?.zone == "test")
        let void = ChangeSet(voiding: sets[1], for: Self.bad)
        #expect(try zone.pullAll().sets == [sets[0], void, sets[2]])
        #expect(try zone.records().count == 2)
    }

    @Test func `a save that is held is not shown again, whatever the hook would say now`() throws {
        let rejects = Mutex(false)
        let channel = FakeChannel { _ in rejects.withLock { $0 } ? "bad" : nil }
        let zone = try zone(channel)
        var author = TestAuthor(1)
        let first = author.insertPerson().0
        let once = try zone.push(first)
        rejects.withLock { $0 = true }
        #expect(try zone.push(first).acknowledgements == once.acknowledgements)
        #expect(channel.requests.count == 1)
        let second = author.insertPerson("Grace").0
        #expect(try zone.push(first, second).acknowledgements.map(\.rejection) == [nil, Self.bad])
        #expect(channel.requests.map { $0.changeSets.map(\.sequence) } == [[1], [2]])
        rejects.withLock { $0 = false }
        #expect(try zone.push(first, second).acknowledgements.map(\.rejection) == [nil, Self.bad])
        #expect(channel.requests.count == 2)
    }

    @Test func `without an answer the push is refused for now, and nothing is kept`() throws {
        let fails = Mutex(true)
        let channel = FakeChannel { _ in
            if fails.withLock({ $0 }) { throw NoAnswer() }
            return nil
        }
        let zone = try zone(channel)
        var author = TestAuthor(1)
        let set = author.insertPerson().0
        let error = #expect(throws: ProtocolError.self) { try zone.push(set) }
        #expect(error?.code == .overloaded && error?.code.httpStatus == 503)
        #expect(error?.message.contains("validation hook") == true)
        #expect(error?.details[ProtocolError.causeDetail]?.contains("NoAnswer") == true)
        #expect(try zone.service.head().position == 0)
        #expect(try zone.records().isEmpty)
        fails.withLock { $0 = false }
        #expect(try zone.push(set).acknowledgements.map(\.position) == [1])
    }

    @Test func `what the zone rejects itself, and what is no save, is not shown`() throws {
        let channel = FakeChannel { _ in nil }
        let zone = try zone(channel)
        var author = TestAuthor(1)
        let malformed = author.save(payload: [0xFF, 0xFF])
        let good = author.insertPerson().0
        let lost = ChangeSet(lost: Dot(replica: ReplicaID(high: 9, low: 9), sequence: 1))
        let response = try zone.push(malformed, good, lost)
        #expect(response.acknowledgements.map { $0.rejection?.code } == [.malformed, nil, nil])
        #expect(channel.requests.map { $0.changeSets.map(\.sequence) } == [[2]])
    }

    @Test func `a push for another epoch is refused without a call`() throws {
        let channel = FakeChannel { _ in nil }
        let zone = try zone(channel)
        var author = TestAuthor(1)
        let request = PushRequest(
            epoch: EpochID(high: 7, low: 7), changeSets: [author.insertPerson().0.encoded()])
        let error = #expect(throws: ProtocolError.self) { try zone.service.push(request) }
        #expect(error?.code == .unknownEpoch)
        #expect(channel.requests.isEmpty)
    }

    private func parted(
        _ author: inout TestAuthor, _ parts: [[UInt8]], staged zone: TestZone
    ) throws -> ChangeSet {
        for part in parts {
            _ = try zone.service.stage(
                StageRequest(part: SavePart(of: part), start: 0, bytes: part))
        }
        return author.save(
            payload: PartList(parts.map { SavePart(of: $0) }).encoded(), as: .saveInParts)
    }

    private func people(_ author: inout TestAuthor, _ names: String...) -> [[UInt8]] {
        names.map {
            ChangePayload(blocks: [.person(author.newRecord(), name: $0)])
                .encoded(author: author.replica)
        }
    }

    @Test(arguments: [1, 64 << 20])
    func `a save in parts is shown as its parts, and one rejected part rejects it`(
        bodyBytes: Int
    ) throws {
        let channel = FakeChannel { $0.texts.contains("bad") ? "bad" : nil }
        var limits = ZoneLimits()
        limits.bodyBytes = bodyBytes
        let zone = try zone(channel, limits: limits)
        var author = TestAuthor(1)
        let good = try parted(&author, people(&author, "Ada", "Grace", "Edsger"), staged: zone)
        #expect(try zone.push(good).acknowledgements.map(\.rejection) == [nil])
        let shown = channel.requests.flatMap(\.changeSets)
        #expect(shown.map(\.part) == [1, 2, 3])
        #expect(shown.map(\.texts) == [["Ada"], ["Grace"], ["Edsger"]])
        #expect(channel.requests.count == (bodyBytes == 1 ? 3 : 1))
        let bad = try parted(&author, people(&author, "Barbara", "bad", "Tony"), staged: zone)
        #expect(try zone.push(bad).acknowledgements.map(\.rejection) == [Self.bad])
        #expect(try zone.records().count == 3)
    }

    @Test func `a save that lacks a part is shown when it has all, with what follows it`() throws {
        let channel = FakeChannel { _ in nil }
        let zone = try zone(channel)
        var author = TestAuthor(1)
        let part = people(&author, "Ada")[0]
        let first = author.insertPerson("Grace").0
        let inParts = author.save(
            payload: PartList([SavePart(of: part)]).encoded(), as: .saveInParts)
        let last = author.insertPerson("Edsger").0
        let response = try zone.push(first, inParts, last)
        #expect(response.acknowledgements.count == 1)
        #expect(response.refusal?.code == .missingParts)
        _ = try zone.service.stage(StageRequest(part: SavePart(of: part), start: 0, bytes: part))
        #expect(try zone.push(inParts, last).refusal == nil)
        #expect(channel.requests.map { $0.changeSets.map(\.sequence) } == [[1], [2, 3]])
    }

    @Test func `a part that can't be decoded is rejected by the zone and not shown`() throws {
        let channel = FakeChannel { _ in nil }
        let zone = try zone(channel)
        var author = TestAuthor(1)
        let parts = people(&author, "Ada") + [[0xFF, 0xFF]]
        let set = try parted(&author, parts, staged: zone)
        #expect(try zone.push(set).acknowledgements.map { $0.rejection?.code } == [.malformed])
        #expect(channel.requests.flatMap(\.changeSets).map(\.part) == [1])
        #expect(try zone.records().isEmpty)
    }

    @Test func `pushes are recorded in the order of the log, with what became of them`() throws {
        let records = Mutex<[PushRecord]>([])
        let fails = Mutex(false)
        let channel = FakeChannel { shown in
            if fails.withLock({ $0 }) { throw NoAnswer() }
            return shown.texts.contains("bad") ? "bad" : nil
        }
        let zone = try zone(channel) { record in records.withLock { $0.append(record) } }
        var author = TestAuthor(1)
        let sets = ["Ada", "bad", "Grace"].map { author.insertPerson($0).0 }
        _ = try zone.push(sets[0])
        _ = try zone.push(sets)
        _ = try zone.push(sets)
        let gap = (author.insertPerson().0, author.insertPerson().0).1
        _ = try zone.push(gap)
        fails.withLock { $0 = true }
        var other = TestAuthor(2)
        let unanswered = other.insertPerson().0
        #expect(throws: ProtocolError.self) { try zone.push(unanswered) }
        let all = records.withLock { $0 }
        #expect(all.map(\.newPositions) == [1..<2, 2..<4, 4..<4, 4..<4, 0..<0])
        #expect(all.map(\.acceptedCount) == [1, 1, 0, 0, 0])
        #expect(all.map(\.heldCount) == [0, 1, 3, 0, 0])
        #expect(all.map(\.refusedCount) == [0, 0, 0, 1, 1])
        #expect(all.map { $0.rejections } == [[], [Self.bad.code], [], [], []])
        #expect(all.map { $0.refusal?.code } == [nil, nil, nil, .sequenceGap, .overloaded])
        #expect(all.map(\.isRepetition) == [false, false, true, false, false])
    }

    @Test func `a call does not hold up the zone, and pushes of other clients go on`() throws {
        let slow = Mutex<[CheckedSlot]>([])
        let channel = FakeChannel { shown in
            guard shown.texts.contains("slow") else { return nil }
            let slot = CheckedSlot()
            slow.withLock { $0.append(slot) }
            slot.wait()
            return nil
        }
        let zone = try zone(channel)
        var patient = TestAuthor(1)
        let first = patient.insertPerson("slow").0
        let epoch = try zone.service.head().epoch
        let service = zone.service
        let waiting = startThreads(1) { _ in
            _ = try? service.push(PushRequest(epoch: epoch, changeSets: [first.encoded()]))
        }
        while slow.withLock({ $0.isEmpty }) { usleepShortly() }
        var quick = TestAuthor(2)
        #expect(try zone.push(quick.insertPerson().0).acknowledgements.map(\.position) == [1])
        #expect(try zone.pullAll().sets.count == 1)
        slow.withLock { $0.forEach { $0.open() } }
        waiting.wait()
        #expect(try zone.service.head().position == 2)
    }
}
