import AnabranchProtocol
import AnabranchReplication
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

@Suite struct ZoneServiceCausesTests {
    @Test(arguments: StorageKind.allCases)
    func `a set that names a log position beyond the zone's head lacks its causes`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let epoch = try zone.service.head().epoch
        author.context = CausalContext(prefix: .init(epoch: epoch, position: 1))
        let (set, _) = author.insertPerson()
        #expect(try zone.push(set).refusal?.code == .missingCauses)
        var other = TestAuthor(2)
        _ = try zone.push(other.insertPerson().0)
        #expect(try zone.push(set).refusal == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `a prefix of an epoch that is not known lacks its causes`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        author.context = CausalContext(
            prefix: .init(epoch: EpochID(high: 1, low: 1), position: 0))
        #expect(try zone.push(author.insertPerson().0).refusal?.code == .missingCauses)
    }

    @Test(arguments: StorageKind.allCases)
    func `a cause named beyond the prefix must be held with the named origin`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var other = TestAuthor(2)
        let (cause, _) = other.insertPerson()
        var author = TestAuthor(1)
        var twin = author
        author.context = CausalContext(
            beyond: [.init(dot: cause.dot, originPrefix: cause.origin.prefix)])
        twin.context = CausalContext(
            beyond: [.init(dot: cause.dot, originPrefix: cause.origin.prefix ^ 1)])
        let (set, _) = author.insertPerson()
        let missing = try zone.push(set).refusal
        #expect(missing?.code == .missingCauses)
        #expect(missing?.details["causeReplica"] == cause.dot.replica.description)
        _ = try zone.push(cause)
        #expect(try zone.push(twin.insertPerson().0).refusal?.code == .missingCauses)
        #expect(try zone.push(set).refusal == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `a stamp ahead of the clock and of the log is refused, and kept once time has come`(
        kind: StorageKind
    ) throws {
        let time = NowBox()
        let zone = try TestZone(kind, clock: { time.value.withLock { $0 } })
        var author = TestAuthor(1)
        author.wallMilliseconds += 5 * 60_000 + 1000
        let (set, _) = author.insertPerson()
        let refusal = try zone.push(set).refusal
        #expect(refusal?.code == .clockSkew)
        #expect(refusal?.details["limit"] == "300000")
        time.value.withLock { $0 += 2000 }
        #expect(try zone.push(set).refusal == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `a stamp that is no later than the one before it is refused`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, second) = (author.insertPerson().0, author.insertPerson().0)
        _ = try zone.push(first)
        var rewriting = Rewriting()
        try rewriting.rename(second, to: .init(dot: second.dot, timestamp: first.timestamp))
        let early = try rewriting.rewritten(second)
        let refusal = try zone.push(early).refusal
        #expect(refusal?.code == .timeOrder)
        #expect(refusal?.details["sequence"] == "2")
        #expect(refusal?.details["predecessorTime"] == "\(first.timestamp.rawValue)")
        #expect(try zone.push(second).refusal == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `a stamp just after the log's greatest is accepted whatever the clock says`(
        kind: StorageKind
    ) throws {
        let time = NowBox()
        let zone = try TestZone(kind, clock: { time.value.withLock { $0 } })
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        _ = try zone.push(first)
        time.value.withLock { $0 -= 86_400_000 }
        var innocent = TestAuthor(2)
        innocent.observe(first)
        #expect(try zone.push(innocent.insertPerson().0).refusal == nil)
        var late = TestAuthor(3)
        late.wallMilliseconds += 900
        #expect(try zone.push(late.insertPerson().0).refusal?.code == .clockSkew)
    }

    @Test(arguments: StorageKind.allCases)
    func `many small steps lead no further than one`(kind: StorageKind) throws {
        let time = NowBox()
        let zone = try TestZone(kind, clock: { time.value.withLock { $0 } })
        var author = TestAuthor(1)
        var isAccepted: [Bool] = []
        for step in 1...6 {
            var next = author
            next.wallMilliseconds += 5 * 60_000 - 1000 + Int64(step) * 400
            let refusal = try zone.push(next.insertPerson().0).refusal
            #expect(refusal == nil || refusal?.code == .clockSkew)
            isAccepted.append(refusal == nil)
            if refusal == nil {
                (author, author.wallMilliseconds) = (next, author.wallMilliseconds)
            }
        }
        #expect(isAccepted == [true, true, false, false, false, false])
    }
}

final class NowBox: Sendable {
    let value = Mutex<Int64>(1_700_000_000_000)
}
