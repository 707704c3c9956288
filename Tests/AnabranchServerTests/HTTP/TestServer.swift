import AnabranchProtocol
import AnabranchReplication
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AnabranchServer

/// A server on a free loopback port with a store of its own and one token of each role.
///
/// The store is of the kind for which the test runs (`everyStore`).
final class TestServer: Sendable {
    let port: Int
    let directory: TemporaryDirectory
    let tokens: [TokenRole: String]
    let otherZoneToken: String
    let store: ZoneStore
    let log = LogLines()
    let metricsPort: Int?
    private let server: SyncServer

    /// Starts a server.
    ///
    /// - Parameter location: The store; `nil` for one of its own.
    init(
        at location: StoreLocation? = nil,
        _ change: (inout SyncServer.Options) -> Void = { _ in }
    ) throws {
        directory = try TemporaryDirectory("server")
        let location =
            switch (location, StorageKind.current) {
            case (let location?, _): location
            case (nil, .sqlite): try StoreLocation("sqlite:\(directory.path)")
            case (nil, .postgreSQL): try StoreLocation(PartitionedDatabase.make())
            }
        store = try ZoneStore(location)
        var options = SyncServer.Options()
        options.http.workers = 4
        change(&options)
        let zone = try ZoneName("test")
        var tokens: [TokenRole: String] = [:]
        for role in TokenRole.allCases {
            tokens[role] = try store.createToken(zone: zone, role: role).secret.text
        }
        self.tokens = tokens
        otherZoneToken =
            try store.createToken(zone: try ZoneName("other"), role: .admin).secret.text
        let lines = log
        server = SyncServer(
            store, options: options,
            log: RequestLog(
                wallMilliseconds: ServerEnvironment.system.wallMilliseconds,
                sink: { lines.append($0) }))
        port = try server.start()
        metricsPort = try server.startMetrics()
    }

    deinit { server.stop() }

    func stop() { server.stop() }

    /// The memory that all requests share.
    var budget: MemoryBudget { server.budget }

    /// Returns a request line and the necessary headers.
    func head(
        _ method: String, _ path: String, role: TokenRole? = .write, body: Int? = nil,
        extra: [String] = []
    ) -> String {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1"]
        if let role, let token = tokens[role] { lines.append("Authorization: Bearer \(token)") }
        if let body {
            lines.append("Content-Type: \(SyncProtocol.mediaType)")
            lines.append("Content-Length: \(body)")
        }
        return (lines + extra).joined(separator: "\r\n") + "\r\n\r\n"
    }

    func get(
        _ path: String, role: TokenRole? = .read, extra: [String] = []
    ) throws -> RawResponse {
        let client = try RawClient(port: port)
        client.send(head("GET", path, role: role, extra: extra))
        return try client.receiveResponse()
    }

    func post(
        _ path: String, _ body: [UInt8], role: TokenRole? = .write, extra: [String] = []
    ) throws -> RawResponse {
        let client = try RawClient(port: port)
        client.send(head("POST", path, role: role, body: body.count, extra: extra))
        client.send(body)
        return try client.receiveResponse()
    }

    func hello() throws -> HelloResponse {
        let request = HelloRequest(
            replica: ReplicaID(high: 1, low: 1), last: nil, cursor: nil, wallMilliseconds: 0)
        return try HelloResponse(
            decoding: try post("/v1/zones/test/hello", request.encoded()).body)
    }

    /// The answer to a push, with an acknowledgement for each change set.
    struct Pushed {
        let acknowledgements: [PushResponse.Acknowledgement]
        let refusal: ProtocolError?
        let headPosition: UInt64
    }

    /// The body of a push of one record with a long name.
    func largePush(byteCount: Int) throws -> [UInt8] {
        var author = TestAuthor(7)
        let name = String(repeating: "0123456789", count: byteCount / 10)
        let set = author.insertPerson(name).0
        return PushRequest(epoch: try hello().epoch, changeSets: [set.encoded()]).encoded()
    }

    func push(_ changeSets: [ChangeSet]) throws -> Pushed {
        let request = PushRequest(
            epoch: try hello().epoch, changeSets: changeSets.map { $0.encoded() })
        let response = try PushResponse(
            decoding: try post("/v1/zones/test/push", request.encoded()).body)
        return Pushed(
            acknowledgements: try response.acknowledgements(of: changeSets.map { .init($0) }),
            refusal: response.refusal, headPosition: response.headPosition)
    }
}

final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    func append(_ line: String) { lines.withLock { $0.append(line) } }

    var all: [String] { lines.withLock { $0 } }

    /// Waits for a log line with the text. The line is written after the answer was sent.
    func waitFor(_ text: String) -> String? {
        for _ in 0..<6_000 {
            if let line = all.first(where: { $0.contains(text) }) { return line }
            usleep(10_000)
        }
        return nil
    }
}
