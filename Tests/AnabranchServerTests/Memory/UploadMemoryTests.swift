import AnabranchProtocol
import AnabranchReplication
import Foundation
import Testing

@testable import AnabranchServer

/// Tests of the memory that request bodies reserve while they arrive.
@Suite(.everyStore) struct UploadMemoryTests {
    private static let path = "/v1/zones/test/push"

    /// Clients that announce a mebibyte each for the zone `test`, and send only some of it.
    private func uploads(_ count: Int, sending sent: Int, to server: TestServer) throws
        -> [RawClient]
    {
        let clients = try (0..<count).map { _ in try RawClient(port: server.port) }
        for client in clients {
            client.send(server.head("POST", Self.path, body: 1 << 20))
            client.send([UInt8](repeating: 0, count: sent))
        }
        // The server has read what was sent, and a reservation for it exists.
        usleep(500_000)
        return clients
    }

    @Test func `announced bodies of clients with a right take only what has arrived`() throws {
        let server = try TestServer { $0.http.bufferedBytes = 8 << 20 }
        let clients = try uploads(16, sending: 20_000, to: server)
        #expect(try server.post(Self.path, server.largePush(byteCount: 1 << 20)).status == 200)
        withExtendedLifetime(clients) {}
    }

    @Test func `all forms of one token's header count for one client`() {
        func client(_ value: String?) -> Int {
            AccessControl.client(
                of: HTTPRequestHead(
                    method: "POST", path: Self.path,
                    headers: HTTPHeaders(value.map { [("Authorization", $0)] } ?? [])))
        }
        let forms = ["Bearer abt_1", "bearer abt_1", "BEARER  abt_1", "Bearer abt_1 "]
        #expect(Set(forms.map(client)).count == 1)
        #expect(Set(["Bearer abt_1", "Bearer abt_2", nil].map(client)).count == 3)
    }

    @Test func `bodies for one zone leave memory to the other zones`() throws {
        let server = try TestServer { $0.http.bufferedBytes = 8 << 20 }
        let body = try server.largePush(byteCount: 1 << 20)
        let clients = try uploads(10, sending: 1_000_000, to: server)
        #expect(try server.post(Self.path, body).status == 503)
        let other = try RawClient(port: server.port)
        other.send(
            server.head(
                "POST", "/v1/zones/other/push", role: nil, body: body.count,
                extra: ["Authorization: Bearer \(server.otherZoneToken)"]))
        other.send(body)
        // The other zone has another epoch, which it can say only after it has read the body.
        #expect(try other.receiveResponse().code == "unknown-epoch")
        withExtendedLifetime(clients) {}
    }
}
