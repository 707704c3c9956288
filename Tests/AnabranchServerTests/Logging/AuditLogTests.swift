import AnabranchProtocol
import AnabranchReplication
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// Tests of the log of pushes and reads that a server keeps.
@Suite(.everyStore) struct AuditLogTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory("audit")
        path = directory.file("audit.log")
    }

    private func log() throws -> AuditLog {
        try AuditLog(path: path, wallMilliseconds: { 1_700_000_000_123 })
    }

    private func lines(_ path: String? = nil) throws -> [String] {
        try String(contentsOfFile: path ?? self.path, encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    @Test func `a line tells who pushed what to which zone, when and from where`() throws {
        let audit = try log()
        let hook = ValidationHook(FakeChannel { $0.texts.contains("bad") ? "bad" : nil })
        let server = try TestServer {
            $0.audit = audit
            $0.hook = hook
        }
        var author = TestAuthor(1)
        let sets = ["Ada", "bad", "Grace"].map { author.insertPerson($0).0 }
        let request = PushRequest(
            epoch: try server.hello().epoch, changeSets: sets.map { $0.encoded() })
        for id in ["one", "two"] {
            _ = try server.post(
                "/v1/zones/test/push", request.encoded(), extra: ["X-Request-ID: \(id)"])
        }
        let token = try #require(
            try server.store.tokens.tokens(zone: nil).first { $0.role == .write }?.number)
        let name = author.replica.description
        #expect(
            try lines() == [
                #"{"time":"2023-11-14T22:13:20.123Z","event":"push","request":"one","#
                    + #""zone":"test","token":\#(token),"address":"127.0.0.1","#
                    + #""replicas":[{"replica":"\#(name)","first":1,"last":3}],"#
                    + #""accepted":2,"held":0,"rejected":1,"refused":0,"firstPosition":1,"#
                    + #""lastPosition":3,"codes":[{"code":"validation-failed/bad","count":1}]}"#
            ])
    }

    @Test func `a refused push has the code of its refusal, and the hook sees its origin`() throws {
        let audit = try log()
        let channel = FakeChannel { _ in throw ValidationFailure("no") }
        let server = try TestServer {
            $0.audit = audit
            $0.hook = ValidationHook(channel)
        }
        var author = TestAuthor(1)
        let request = PushRequest(
            epoch: try server.hello().epoch, changeSets: [author.insertPerson().0.encoded()])
        let response = try server.post(
            "/v1/zones/test/push", request.encoded(), extra: ["X-Request-ID: r"])
        #expect(response.status == 503)
        #expect(response.headers["retry-after"] == "1")
        #expect(response.text.contains("validation hook"))
        #expect(!response.text.contains("ValidationFailure"))
        let line = try #require(server.log.waitFor("/v1/zones/test/push"))
        #expect(line.contains("ValidationFailure"))
        #expect(try lines().count == 1)
        #expect(try lines()[0].contains(#""refused":1,"error":"overloaded"}"#))
        let shown = try #require(channel.requests.first)
        #expect(shown.request == "r" && shown.address == "127.0.0.1" && shown.token != nil)
        #expect(shown.subject == nil)
    }

    @Test func `a line tells the token and how much it read, and no content`() throws {
        let audit = try log()
        let server = try TestServer { $0.audit = audit }
        var author = TestAuthor(1)
        let (set, record) = author.insertPerson("Ada Secret")
        _ = try server.push([set])
        let epoch = try server.hello().epoch
        let pulls = [nil, LogCursor(startOf: epoch).advanced(over: set)].map {
            PullRequest(cursor: $0, byteLimit: 1 << 20).encoded()
        }
        for pull in pulls { _ = try server.post("/v1/zones/test/pull", pull, role: .read) }
        let snapshot = SnapshotRequest(snapshot: nil, number: 0)
        _ = try server.post("/v1/zones/test/snapshot", snapshot.encoded(), role: .read)
        for epoch in [epoch, EpochID(high: 7, low: 7)] {
            let repair = RepairRequest(epoch: epoch, records: [record])
            _ = try server.post("/v1/zones/test/repair", repair.encoded(), role: .read)
        }
        let all = try lines().dropFirst()
        let token = try #require(
            try server.store.tokens.tokens(zone: nil).first { $0.role == .read }?.number)
        #expect(all.allSatisfy { $0.contains(#""zone":"test","token":\#(token),"address":"127"#) })
        #expect(all.count == 4, "a pull that finds nothing new has no line")
        let ends = [
            (#""event":"pull""#, #""changeSets":1,"lastPosition":1}"#),
            (#""event":"snapshot""#, #""chunk":0,"chunks":1,"lastPosition":1}"#),
            (#""event":"repair""#, #""records":1,"lastPosition":1}"#),
            (#""event":"repair""#, #""error":"unknown-epoch"}"#),
        ]
        for (line, (event, end)) in zip(all, ends) {
            #expect(line.contains(event) && line.hasSuffix(end), "\(line)")
        }
        #expect(try !lines().joined().contains("Secret"))
    }

    @Test func `refusals in a minute have a few lines, and the next line counts the others`() throws
    {
        let now = Mutex<Int64>(1_700_000_000_000)
        let audit = try AuditLog(path: path, wallMilliseconds: { now.withLock { $0 } })
        let server = try TestServer { $0.audit = audit }
        var author = TestAuthor(1)
        let first = author.insertPerson().0
        let gap = author.insertPerson().0
        let pull = PullRequest(
            cursor: LogCursor(startOf: EpochID(high: 7, low: 7)), byteLimit: 1
        ).encoded()
        for _ in 0..<RefusalLines.mostInMinute {
            _ = try server.push([gap])
            _ = try server.post("/v1/zones/test/pull", pull, role: .read)
        }
        for _ in 0..<5 { _ = try server.push([gap]) }
        #expect(try lines().count == 2 * RefusalLines.mostInMinute)
        // A push that changes the zone has a line in any case.
        _ = try server.push([first])
        #expect(try lines().count == 2 * RefusalLines.mostInMinute + 1)
        now.withLock { $0 += 60_000 }
        _ = try server.post("/v1/zones/test/pull", pull, role: .read)
        #expect(try lines().last?.contains("omitted") == false)
        _ = author.insertPerson()
        _ = try server.push([author.insertPerson().0])
        #expect(try lines().last?.hasSuffix(#""omitted":5}"#) == true)
    }

    @Test func `a line names a bounded number of replicas`() throws {
        let audit = try log()
        let server = try TestServer { $0.audit = audit }
        let sets = (1...150).map { number in
            var author = TestAuthor(UInt64(number))
            return author.insertPerson().0
        }
        _ = try server.push(sets)
        let line = try #require(try lines().last)
        #expect(line.components(separatedBy: #""replica":"#).count == 101)
        #expect(line.contains(#"],"moreReplicas":50,"accepted":150"#))
    }

    @Test func `sources of refusals are counted apart, up to a bound`() {
        var refusals = RefusalLines()
        let sources = (0..<20_000).map {
            RefusalLines.Source(zone: "z", right: .token(Int64($0)))
        }
        let omitted = sources.map { refusals.admit($0, wallMilliseconds: 0) }
        #expect(omitted.count { $0 != nil } == 10_000 + RefusalLines.mostInMinute)
        let later = [(0, 0), (19_999, 1), (19_999, 60_000)].map { source, time in
            refusals.admit(sources[source], wallMilliseconds: Int64(time))
        }
        // Sources of the last minute make room for others.
        #expect(later == [0, nil, 0])
    }

    @Test func `sources that were refused long ago make room for others`() {
        var refusals = RefusalLines()
        func lines(of right: Int64, minute: Int64) -> [Int] {
            (0...RefusalLines.mostInMinute).compactMap { _ in
                refusals.admit(
                    .init(zone: "z", right: .token(right)), wallMilliseconds: minute * 60_000)
            }
        }
        for right in 0..<Int64(10_000) { _ = lines(of: right, minute: 0) }
        for right in [Int64(20_000), 20_001] {
            #expect(lines(of: right, minute: 9).count == RefusalLines.mostInMinute)
        }
    }

    @Test func `a created and a revoked token have a line, without the secret`() throws {
        let audit = try log()
        let server = try TestServer()
        let store = server.store
        let (token, secret) = try store.createToken(
            for: try ZonePattern("team-*"), role: .read, expires: 4_102_444_800_000)
        try audit.write(TokenRecord(.create, of: token, by: "ada"))
        let revoked = try #require(try store.tokens.revoke(token.number))
        try audit.write(TokenRecord(.revoke, of: revoked, by: "ada"))
        let end =
            #""zone":"team-*","token":\#(token.number),"role":"read","#
            + #""expires":"2100-01-01T00:00:00.000Z","account":"ada"}"#
        let start = #"{"time":"2023-11-14T22:13:20.123Z","event":""#
        #expect(
            try lines() == [start + #"token-create","# + end, start + #"token-revoke","# + end])
        #expect(try !lines().joined().contains(secret.text))
        server.stop()
    }

    @Test func `concurrent pushes give whole lines in the order of the log`() throws {
        let audit = try log()
        let server = try TestServer { $0.audit = audit }
        let epoch = try server.hello().epoch
        startThreads(8) { number in
            var author = TestAuthor(UInt64(number + 1))
            for _ in 0..<10 {
                let set = author.insertPerson().0
                let request = PushRequest(epoch: epoch, changeSets: [set.encoded()])
                _ = try? server.post("/v1/zones/test/push", request.encoded())
            }
        }.wait()
        struct Line: Decodable {
            let firstPosition: Int
            let lastPosition: Int
            let accepted: Int
        }
        let all = try lines().map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        #expect(all.map(\.firstPosition) == Array(1...80))
        #expect(all.allSatisfy { $0.firstPosition == $0.lastPosition && $0.accepted == 1 })
    }

    @Test func `after a rotation the file is opened again`() throws {
        let audit = try log()
        let zone = try TestZone(
            StorageKind.current, record: { record in try? audit.write(record) })
        var author = TestAuthor(1)
        _ = try zone.push(author.insertPerson().0)
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        _ = try zone.push(author.insertPerson().0)
        try audit.reopen()
        _ = try zone.push(author.insertPerson().0)
        #expect(try lines(path + ".1").count == 2)
        #expect(try lines().count == 1)
        // A file that can't be opened leaves the former one in use.
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(throws: HTTPServerError.self) { try audit.reopen() }
        #expect(throws: HTTPServerError.self) { try log() }
    }

    @Test(.enabled(if: FileManager.default.isWritableFile(atPath: "/dev/full")))
    func `a line that can't be written is counted, and the push is answered`() throws {
        let audit = try AuditLog(path: "/dev/full", wallMilliseconds: { 0 })
        let server = try TestServer {
            $0.audit = audit
            $0.metrics = HTTPServerOptions()
        }
        var author = TestAuthor(1)
        #expect(try server.push([author.insertPerson().0]).acknowledgements.count == 1)
        #expect(server.log.waitFor("Can't write to the audit log /dev/full") != nil)
        let client = try RawClient(port: try #require(server.metricsPort))
        client.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        #expect(try client.receiveResponse().text.contains("anabranch_audit_failures_total 1\n"))
    }
}
