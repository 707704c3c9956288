import AnabranchProtocol
import AnabranchReplication
import Testing

@testable import AnabranchServer

@Suite struct ZoneServicePullTests {
    @Test(arguments: StorageKind.allCases)
    func `pages hold what the byte limit allows, and at least one set`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        let sets = (0..<5).map { _ in
            author.insertPerson(String(repeating: "x", count: 1000)).0
        }
        _ = try zone.push(sets)
        let one = try zone.service.pull(PullRequest(cursor: nil, byteLimit: 1))
        #expect(one.changeSets.count == 1)
        #expect(one.headPosition == 5)
        let two = try zone.service.pull(PullRequest(cursor: one.cursor, byteLimit: 2500))
        #expect(two.changeSets.count == 2)
        #expect(try zone.pullAll(byteLimit: 1).sets == sets)
    }

    @Test(arguments: StorageKind.allCases)
    func `an empty pull answers with the cursor that was sent`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        _ = try zone.push(author.insertPerson().0)
        let cursor = try zone.pullAll().cursor
        let empty = try zone.service.pull(PullRequest(cursor: cursor, byteLimit: 1000))
        #expect(empty.changeSets.isEmpty)
        #expect(empty.cursor == cursor)
        #expect(empty.encoded().count <= 64)
        #expect(PullRequest(cursor: cursor, byteLimit: 1 << 24).encoded().count <= 64)
    }

    @Test(arguments: StorageKind.allCases)
    func `a cursor with another digest, position or epoch is not known`(kind: StorageKind) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        _ = try zone.push(author.insertPerson().0)
        let good = try zone.pullAll().cursor
        let bad = [
            LogCursor(
                epoch: good.epoch, position: 1, digestHigh: good.digestHigh,
                digestLow: good.digestLow ^ 1),
            LogCursor(epoch: good.epoch, position: 2, digestHigh: 0, digestLow: 0),
            LogCursor(
                epoch: EpochID(high: 5, low: 5), position: 1, digestHigh: good.digestHigh,
                digestLow: good.digestLow),
        ]
        for cursor in bad {
            #expect { try zone.service.pull(PullRequest(cursor: cursor, byteLimit: 1)) } throws: {
                ($0 as? ProtocolError)?.code == .unknownCursor
            }
            #expect(try !zone.hello(TestAuthor(1), cursor: cursor).isCursorKnown)
        }
        #expect(try zone.hello(author, cursor: good).isCursorKnown)
    }

    @Test(arguments: StorageKind.allCases)
    func `hello reports what is held of the client, and under which origin`(
        kind: StorageKind
    ) throws {
        let zone = try TestZone(kind)
        var author = TestAuthor(1)
        var twin = author
        let (first, _) = author.insertPerson()
        let (second, _) = author.insertPerson()
        _ = try zone.push(first, second)
        let held = try zone.hello(author)
        #expect(held.lastSequence == 2)
        #expect(held.origin == second.origin)
        _ = twin.insertPerson("other")
        #expect(try zone.hello(twin).origin == first.origin)
        #expect(try zone.hello(TestAuthor(7)).origin == nil)
        #expect(try zone.hello(TestAuthor(7)).lastSequence == 0)
    }
}

extension TestZone {
    func hello(_ author: TestAuthor, cursor: LogCursor? = nil) throws -> HelloResponse {
        try service.hello(
            HelloRequest(
                replica: author.replica,
                last: author.sequence == 0
                    ? nil : .init(sequence: author.sequence, origin: author.origin),
                cursor: cursor, wallMilliseconds: 0))
    }
}
