import AnabranchProtocol
import AnabranchReplication
import Foundation
import TestSupport
import Testing

/// Clients with a token that try to fill a daemon's memory.
@Suite(.waiting, .serialized) struct HostileMemoryTests {
    private static let budget = 64 << 20
    /// The memory of the daemon, its threads and its caches beside the budget.
    private static let rest = 64 << 20
    private static let clientCount = 24

    private let folder: TemporaryDirectory
    private let daemon: DaemonUnderTest

    init() throws { try self.init(store: nil) }

    private init(store: String?) throws {
        folder = try TemporaryDirectory("hostile")
        daemon = try DaemonUnderTest(
            in: folder, store: store, options: ["--buffer-limit", "\(Self.budget)"])
    }

    private func page(_ name: String) -> String { "/v1/zones/\(DaemonUnderTest.zone)/\(name)" }

    /// Sends one request to the daemon without waiting for the answer.
    private func send(
        _ name: String, _ body: [UInt8], encoding: String? = nil
    ) throws -> LoopbackClient {
        let client = try LoopbackClient(port: daemon.port)
        client.post(page(name), body, token: daemon.token, encoding: encoding)
        return client
    }

    private func epoch() throws -> EpochID {
        let hello = HelloRequest(
            replica: ReplicaID(high: 1, low: 1), last: nil, cursor: nil, wallMilliseconds: 0)
        return try HelloResponse(decoding: send("hello", hello.encoded()).body()).epoch
    }

    private static func records(_ count: UInt64, of replica: UInt64) -> [RecordID] {
        (1...count).map { RecordID(replica: ReplicaID(high: replica, low: 2), number: $0) }
    }

    /// A push of one save that inserts records.
    private func push(
        by replica: UInt64, records count: UInt64, _ columns: [(WireProperty, PropertyValue)]
    ) throws -> [UInt8] {
        let ids = Self.records(count, of: replica)
        return try push(
            by: replica,
            .insert(
                RowBlock(
                    entity: "Note", records: ids, properties: columns.map(\.0),
                    columns: columns.map { ValueColumn(repeatElement($0.1, count: ids.count)) })))
    }

    /// A push of one save with one block.
    private func push(by replica: UInt64, _ block: ChangeBlock) throws -> [UInt8] {
        let replica = ReplicaID(high: replica, low: 2)
        let payload = ChangePayload(blocks: [block]).encoded(author: replica)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let set = ChangeSet(
            saving: payload, dot: Dot(replica: replica, sequence: 1),
            timestamp: HybridTimestamp(wallMilliseconds: now, counter: 0), previousOrigin: .zero,
            context: .empty)
        return PushRequest(epoch: try epoch(), changeSets: [set.encoded()]).encoded()
    }

    private func expectBounded(_ what: Comment) throws {
        #expect(daemon.peakBytes < Self.budget + Self.rest, what)
        let client = try LoopbackClient(port: daemon.port)
        client.get("/v1/health")
        #expect(client.statusLine().contains("200"))
    }

    @Test func `bodies that grow by decompression`() throws {
        let clients = try (0..<Self.clientCount).map { _ in
            try send("push", ZeroFrame.bytes(mebibytes: 64), encoding: "zstd")
        }
        for client in clients {
            let status = client.statusLine()
            #expect(status.contains("400") || status.contains("503"), "\(status)")
        }
        try expectBounded("decompressed bodies")
    }

    @Test func `columns of nulls, which take no bytes`() throws {
        let columns = (0..<20).map {
            (WireProperty(name: WireName("p\($0)"), type: .integer64), PropertyValue.null)
        }
        let bodies = try (1...8).map { try push(by: $0, records: 30_000, columns) }
        let clients = try bodies.map { try send("push", $0) }
        for client in clients { #expect(client.statusLine().contains("200")) }
        try expectBounded("columns of nulls")
    }

    @Test func `small changes and deletions of large records`() throws {
        try changeLargeRecords()
    }

    @Test(.needsPostgreSQL)
    func `small changes and deletions of large records in a database`() throws {
        let store = try PostgreSQLCluster.shared.get().makeDatabase()
        try HostileMemoryTests(store: store).changeLargeRecords()
    }

    private func changeLargeRecords() throws {
        let text = PropertyValue.string(String(repeating: "long text ", count: 120_000))
        let (replicas, count) = (UInt64(1)...24, UInt64(6))
        for replica in replicas {
            let body = try push(
                by: replica, records: count, [(WireProperty(name: "text", type: .string), text)])
            #expect(try send("push", body).statusLine().contains("200"))
        }
        let ids = replicas.flatMap { Self.records(count, of: $0) }
        let changes: [ChangeBlock] = [
            .update(
                RowBlock(
                    entity: "Note", records: ids,
                    properties: [WireProperty(name: "n", type: .integer64)],
                    columns: [ValueColumn(repeatElement(.integer(1), count: ids.count))])),
            .delete(RecordBlock(entity: "Note", records: ids)),
        ]
        for (number, change) in changes.enumerated() {
            let body = try push(by: UInt64(100 + number), change)
            #expect(try send("push", body).statusLine().contains("200"))
            try expectBounded("large records")
        }
    }

    @Test func `answers that are not read`() throws {
        let text = String(repeating: "long text ", count: 300_000)
        for replica in 1...4 {
            let body = try push(
                by: UInt64(replica), records: 2,
                [(WireProperty(name: "text", type: .string), .string(text))])
            #expect(try send("push", body).statusLine().contains("200"))
        }
        let pull = PullRequest(cursor: nil, byteLimit: 12 << 20).encoded()
        let clients = try (0..<Self.clientCount).map { _ in try send("pull", pull) }
        let statuses = clients.map { $0.statusLine() }
        #expect(
            statuses.contains { $0.contains("200") } && statuses.contains { $0.contains("503") })
        try expectBounded("answers that are not sent")
    }
}
