import AnabranchProtocol
import AnabranchReplication
import Foundation
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of several servers that share a database.
@Suite(.needsPostgreSQL) struct ManyDaemonsTests {
    /// A server that listens with the same database and tokens as another one.
    private func servers(_ count: Int, at url: String) throws -> [TestServer] {
        try (0..<count).map { _ in try TestServer(at: StoreLocation(url)) }
    }

    @Test func `a save pushed at one daemon is told to a listener at another`() throws {
        let url = try PartitionedDatabase.make()
        let servers = try servers(3, at: url)
        let listener = try RawClient(port: servers[1].port)
        listener.send(servers[1].head("GET", "/v1/zones/test/events", role: .read))
        _ = listener.receive(until: "\"position\":0}")
        var author = TestAuthor(1)
        for position in 1...5 {
            _ = try servers[position % 3].push([author.insertPerson().0])
            let (bytes, isClosed) = listener.receive(until: "\"position\":\(position)}")
            #expect(!isClosed)
            #expect(String(decoding: bytes, as: UTF8.self).contains("\"position\":\(position)}"))
        }
    }

    @Test func `pushes at several daemons all get their places, once each`() async throws {
        let url = try PartitionedDatabase.make()
        let servers = try servers(3, at: url)
        try await withThrowingTaskGroup(of: [UInt64].self) { group in
            for number in 1...9 {
                group.addTask {
                    var author = TestAuthor(UInt64(number))
                    return try (0..<10).map { step in
                        let server = servers[(number + step) % 3]
                        let response = try server.push([author.insertPerson().0])
                        #expect(response.refusal == nil)
                        return try #require(response.acknowledgements.first).position
                    }
                }
            }
            var positions: [UInt64] = []
            for try await some in group { positions += some }
            #expect(positions.sorted() == Array(1...90))
        }
        let zone = try ZoneName("test")
        let hashes = try servers.map { server in
            try server.store.withZone(zone) { zone in
                #expect(try zone.verify().isValid)
                return try zone.canonicalHash()
            }
        }
        #expect(Set(hashes).count == 1)
    }

    @Test func `a token that one daemon revokes is refused by the others soon`() throws {
        let url = try PartitionedDatabase.make()
        let servers = try servers(2, at: url)
        #expect(try servers[1].get("/v1/zones/test").status == 200)
        for token in try servers[0].store.tokens.tokens(zone: nil) {
            _ = try servers[0].store.tokens.revoke(token.number)
        }
        #expect(try servers[0].get("/v1/zones/test").status == 401)
        usleep(1_100_000)
        #expect(try servers[1].get("/v1/zones/test").status == 401)
    }

    /// A database that is stopped at once and started again, as by a loss of power.
    @Test func `while the database is down requests are put off, and nothing is lost`() throws {
        let cluster = try PostgreSQLCluster()
        let server = try TestServer(at: StoreLocation(cluster.makeDatabase()))
        var author = TestAuthor(1)
        let epoch = try server.hello().epoch
        func push(_ set: ChangeSet) throws -> RawResponse {
            try server.post(
                "/v1/zones/test/push",
                PushRequest(epoch: epoch, changeSets: [set.encoded()]).encoded())
        }
        for round in 1...3 {
            #expect(try push(author.insertPerson().0).status == 200)
            #expect(try server.get("/v1/ready", role: nil).status == 200)
            cluster.stopImmediately()
            #expect(try server.get("/v1/ready", role: nil).status == 503)
            #expect(try server.get("/v1/health", role: nil).status == 200)
            let waiting = author.insertPerson().0
            let answer = try push(waiting)
            #expect(answer.status == 503)
            #expect(answer.headers["retry-after"] != nil)
            try cluster.start()
            var response = try push(waiting)
            for _ in 0..<50 where response.status == 503 {
                usleep(100_000)
                response = try push(waiting)
            }
            let repeated = try PushResponse(decoding: response.body)
            #expect(repeated.runs.map(\.position) == [UInt64(round * 2)])
        }
    }
}
