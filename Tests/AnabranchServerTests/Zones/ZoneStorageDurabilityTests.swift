import AnabranchProtocol
import AnabranchReplication
import AnabranchSQLite
import Testing

@testable import AnabranchServer

private struct Crash: Error {}

@Suite struct ZoneStorageDurabilityTests {
    @Test(arguments: StorageKind.allCases)
    func `a reopened zone continues where it was`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        _ = try zone.push(first)
        let head = try zone.service.head()
        let hash = try zone.service.canonicalHash()
        try zone.reopen()
        #expect(try zone.service.head() == head)
        #expect(try zone.service.canonicalHash() == hash)
        let (second, _) = author.insertPerson()
        #expect(try zone.push(second).acknowledgements.first?.position == 2)
    }

    @Test(arguments: StorageKind.allCases)
    func `a crash before the commit leaves nothing and the push can be repeated`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        zone.setFaults(TransactionFaults(beforeCommit: { throw Crash() }))
        #expect(throws: ProtocolError.self) { try zone.push(first) }
        zone.setFaults(nil)
        #expect(try zone.service.head().position == 0)
        #expect(try zone.records().isEmpty)
        try zone.reopen()
        #expect(try zone.push(first).acknowledgements.first?.position == 1)
    }

    @Test(arguments: StorageKind.allCases)
    func `a crash after the commit loses the answer and nothing else`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        zone.setFaults(TransactionFaults(afterCommit: { throw Crash() }))
        #expect(throws: ProtocolError.self) { try zone.push(first) }
        try zone.reopen()
        #expect(try zone.service.head().position == 1)
        #expect(try zone.push(first).acknowledgements.first?.position == 1)
        #expect(try zone.pullAll().sets == [first])
    }

    @Test(arguments: StorageKind.allCases)
    func `a zone with a copied file starts an epoch in which its clients can continue`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        _ = try zone.push(first)
        let old = try zone.pullAll().cursor
        try zone.reopen(copied: true)
        let head = try zone.service.head()
        #expect(head.epoch != old.epoch)
        #expect(head.position == 1)
        let description = try zone.service.information()
        #expect(description.epochs.map(\.forkPosition) == [0, 1])
        #expect(description.epochs.map(\.id) == [old.epoch, head.epoch].map(\.description))
        // The client's position is in the common part of both logs. It learns the new epoch from
        // the answer.
        #expect(try zone.hello(author, cursor: old).isCursorKnown)
        let pulled = try zone.service.pull(PullRequest(cursor: old, byteLimit: 1000))
        #expect(pulled.cursor.epoch == head.epoch)
        // A causal context with the old epoch is accepted too, up to the fork and not beyond it.
        author.context = CausalContext(prefix: .init(epoch: old.epoch, position: 1))
        #expect(try zone.push(author.insertPerson().0).refusal == nil)
        author.context = CausalContext(prefix: .init(epoch: old.epoch, position: 2))
        #expect(try zone.push(author.insertPerson().0).refusal?.code == .missingCauses)
    }

    @Test(arguments: StorageKind.allCases)
    func `a cursor beyond the position that a zone was restored to is not known`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let (first, _) = author.insertPerson()
        let (second, _) = author.insertPerson()
        _ = try zone.push(first)
        let cursor = try zone.pullAll().cursor
        let beyond = cursor.advanced(over: second)
        try zone.reopen(copied: true)
        #expect(try !zone.hello(author, cursor: beyond).isCursorKnown)
        // The client sends again what the server has lost.
        #expect(try zone.push(second).acknowledgements.first?.position == 2)
        #expect(try !zone.hello(author, cursor: beyond).isCursorKnown)
    }

    @Test(arguments: StorageKind.allCases)
    func `a rolled back push leaves no numbers behind that later rows would use`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var lost = TestAuthor(1)
        let (gone, _) = lost.insertPerson()
        zone.setFaults(TransactionFaults(beforeCommit: { throw Crash() }))
        #expect(throws: ProtocolError.self) { try zone.push(gone) }
        zone.setFaults(nil)
        var author = TestAuthor(2)
        let (kept, record) = author.insertPerson()
        _ = try zone.push(kept)
        #expect(try zone.records().map(\.id) == [record])
        try zone.reopen()
        #expect(try zone.records().map(\.id) == [record])
    }
}
