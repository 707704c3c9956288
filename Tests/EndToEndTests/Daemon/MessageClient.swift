import AnabranchProtocol
import AnabranchReplication
import Foundation

/// A client of a zone that composes its messages itself, without a store.
struct MessageClient {
    let port: Int
    let zone: String
    let token: String

    /// Sends a message.
    func post(_ page: String, _ body: [UInt8]) throws -> (head: String, body: [UInt8]) {
        let client = try LoopbackClient(port: port)
        client.post("/v1/zones/\(zone)/\(page)", body, token: token)
        let answer = client.answer()
        return (answer.head, answer.body)
    }

    func hello(
        as replica: ReplicaID = ReplicaID(high: 1, low: 1), cursor: LogCursor? = nil
    ) throws -> HelloResponse {
        let request = HelloRequest(replica: replica, last: nil, cursor: cursor, wallMilliseconds: 0)
        return try HelloResponse(decoding: post("hello", request.encoded()).body)
    }

    func push(_ set: ChangeSet) throws -> (head: String, body: [UInt8]) {
        let request = PushRequest(epoch: try hello().epoch, changeSets: [set.encoded()])
        return try post("push", request.encoded())
    }

    /// Pushes a change set, which the zone accepts.
    ///
    /// - Returns: The position of the log's last entry.
    func head(afterPushing set: ChangeSet) throws -> UInt64 {
        try PushResponse(decoding: push(set).body).headPosition
    }
}
