import AnabranchProtocol
import AnabranchReplication
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests that rejected saves, and change sets that no replica can supply, keep their position in
/// the log.
@Suite struct ZoneServiceVoidTests {
    private static func zone(
        _ kind: StorageKind, rejecting code: SaveRejection.Code = .notAllowed,
        _ isForbidden: @escaping @Sendable (ChangeSet) -> Bool
    ) throws -> TestZone {
        try TestZone(
            kind,
            validation: PushValidation { set, zone in
                isForbidden(set) ? SaveRejection(code, "Not in \(zone).") : nil
            })
    }

    @Test(arguments: StorageKind.allCases)
    func `a rejected set becomes a void, and the sets after it are accepted`(kind: StorageKind)
        throws
    {
        let zone = try Self.zone(kind) { $0.dot.sequence == 2 }
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        let (second, record) = author.insertPerson("bad")
        let third = author.save([.rename(record, to: "worse")])
        let (fourth, kept) = author.insertPerson("Grace")
        let response = try zone.push(first, second, third, fourth)
        let rejection = SaveRejection(.notAllowed, "Not in test.")
        #expect(response.refusal == nil)
        #expect(response.acknowledgements.map(\.position) == [1, 2, 3, 4])
        #expect(response.acknowledgements.map(\.rejection) == [nil, rejection, nil, nil])
        let void = ChangeSet(voiding: second, for: rejection)
        #expect(response.acknowledgements[1].digest == void.digest)
        let (sets, cursor) = try zone.pullAll()
        #expect(sets == [first, void, third, fourth])
        let start = LogCursor(startOf: try zone.service.head().epoch)
        #expect(cursor == sets.reduce(start) { $0.advanced(over: $1) })
        #expect(
            Set(try zone.records().map(\.id)) == [
                RecordID(replica: author.replica, number: 1), kept,
            ])
    }

    @Test(arguments: StorageKind.allCases)
    func `a set that is pushed again is acknowledged as the void that it is`(
        kind: StorageKind
    ) throws {
        let isForbidding = Mutex(true)
        let zone = try Self.zone(kind) { _ in isForbidding.withLock { $0 } }
        var author = TestAuthor(1)
        let (set, _) = author.insertPerson()
        let once = try zone.push(set)
        isForbidding.withLock { $0 = false }
        #expect(try zone.push(set) == once)
        let void = ChangeSet(voiding: set, for: SaveRejection(.malformed, ""))
        #expect(try zone.push(void).acknowledgements == once.acknowledgements)
        try zone.reopen()
        #expect(try zone.push(set) == once)
        #expect(try zone.records().isEmpty)
        let hello = try zone.service.hello(
            HelloRequest(
                replica: author.replica, last: .init(sequence: 1, origin: set.origin),
                cursor: nil, wallMilliseconds: 0))
        #expect(hello.lastSequence == 1 && hello.origin == set.origin)
    }

    @Test(arguments: StorageKind.allCases)
    func `a temporary refusal comes before a final rejection`(kind: StorageKind) throws {
        let zone = try Self.zone(kind) { _ in true }
        var author = TestAuthor(1)
        let (_, _) = author.insertPerson()
        let (second, _) = author.insertPerson()
        #expect(try zone.push(second).refusal?.code == .sequenceGap)
        var early = TestAuthor(2)
        early.wallMilliseconds += 1_000_000
        #expect(try zone.push(early.insertPerson().0).refusal?.code == .clockSkew)
        var knowing = TestAuthor(3)
        knowing.context = CausalContext(prefix: .init(epoch: EpochID(high: 5, low: 5), position: 1))
        #expect(try zone.push(knowing.insertPerson().0).refusal?.code == .missingCauses)
        #expect(try zone.service.head().position == 0)
    }

    @Test(arguments: StorageKind.allCases)
    func `a rule that fails keeps nothing of the push`(kind: StorageKind) throws {
        struct Failure: Error {}
        let zone = try TestZone(
            kind,
            validation: PushValidation { set, _ in
                if set.dot.sequence == 2 { throw Failure() }
                return nil
            })
        var author = TestAuthor(1)
        let sets = [author.insertPerson().0, author.insertPerson().0]
        let error = #expect(throws: ProtocolError.self) { try zone.push(sets) }
        #expect(error?.code == .internalError)
        #expect(try zone.service.head().position == 0)
    }

    @Test(arguments: StorageKind.allCases)
    func `voids that a log has lost are accepted again`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, record) = author.insertPerson()
        let second = author.save([.rename(record, to: "Bob")])
        let void = ChangeSet(voiding: first, for: SaveRejection(.malformed, "Once."))
        let response = try zone.push(void, second)
        #expect(response.refusal == nil)
        #expect(response.acknowledgements.map(\.rejection) == [void.rejection, nil])
        #expect(try zone.pullAll().sets == [void, second])
        #expect(try zone.records().isEmpty)
    }

    // MARK: - Lost

    @Test(arguments: StorageKind.allCases)
    func `a set declared lost counts as held as a predecessor and as a cause`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        let (second, _) = author.insertPerson()
        let (third, _) = author.insertPerson()
        var other = TestAuthor(2)
        other.context = CausalContext(
            beyond: [.init(dot: second.dot, originPrefix: second.origin.prefix)])
        let (depending, _) = other.insertPerson()
        _ = try zone.push(first)
        #expect(try zone.push(third).refusal?.code == .sequenceGap)
        let refusal = try zone.push(depending).refusal
        #expect(refusal?.code == .missingCauses && refusal?.details["causeNext"] == "2")
        let response = try zone.push(ChangeSet(lost: second.dot), third, depending)
        #expect(response.refusal == nil && response.acknowledgements.count == 3)
        #expect(try zone.push(ChangeSet(lost: second.dot)).acknowledgements.map(\.position) == [2])
        // A replica that offers it now has another branch, which is accepted under another name.
        #expect(try zone.push(second).refusal?.code == .forked)
        let branch = second.renamed(to: ReplicaID(high: 9, low: 9), sequence: 1)
        #expect(try zone.push(branch).refusal == nil)
        #expect(try zone.records().count == 4)
    }

    @Test(arguments: StorageKind.allCases)
    func `a loss leaves no gap, and a branch may follow one`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        let (second, _) = author.insertPerson()
        var refusal = try zone.push(ChangeSet(lost: second.dot)).refusal
        #expect(refusal?.code == .sequenceGap)
        let branch = second.renamed(to: ReplicaID(high: 9, low: 9), sequence: 1)
        refusal = try zone.push(branch).refusal
        #expect(refusal?.code == .missingCauses && refusal?.details["causeNext"] == "1")
        #expect(try zone.push(ChangeSet(lost: first.dot), branch).refusal == nil)
        #expect(try zone.push(first).refusal?.code == .forked)
        #expect(try zone.records().count == 1)
    }

    @Test(arguments: StorageKind.allCases)
    func `a set that the zone holds can't be declared lost`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        _ = try zone.push(first)
        #expect(try zone.push(ChangeSet(lost: first.dot)).refusal?.code == .forked)
    }
}
