import AnabranchProtocol
import AnabranchReplication
import Foundation

/// What attackers know of a daemon.
struct SiegeTarget: Sendable {
    let port: Int
    /// A token that may read the zone of the honest clients.
    let reader: String
    /// A token that may write the zone ``zone``.
    let writer: String
    /// A token that may write the zone ``hungZone``.
    let hungWriter: String
    /// The part of its connections that each attack opens is one in so many.
    ///
    /// Foundation's `Process` reads past the end of its list of descriptors if a process has more
    /// than about 1,360, and a run of all tests has many without these.
    let divisor: Int

    /// The zone that attackers fill.
    static let zone = "siege"
    /// A zone for which the validation hook does not answer.
    static let hungZone = "hung"
    /// The attackers' own addresses.
    static let addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]
    private static let patienceSeconds = 2

    static func path(_ page: String, of zone: String = zone) -> String {
        "/v1/zones/\(zone)/\(page)"
    }

    /// Connects from one of the attackers' addresses.
    func connect(_ generator: inout some RandomNumberGenerator) throws -> LoopbackClient {
        try LoopbackClient(
            port: port, from: Self.addresses.randomElement(using: &generator) ?? "127.0.0.2",
            patience: Self.patienceSeconds)
    }

    /// Sends a message and returns the body of the answer, which is an error's if it was refused.
    @discardableResult func post(
        _ page: String, _ body: [UInt8], to zone: String = zone, token: String? = nil,
        encoding: String? = nil, _ generator: inout some RandomNumberGenerator
    ) throws -> [UInt8] {
        let client = try connect(&generator)
        client.post(
            Self.path(page, of: zone), body, token: token ?? writer, encoding: encoding)
        return client.body()
    }

    func hello(
        as replica: ReplicaID, cursor: LogCursor? = nil, to zone: String = zone,
        token: String? = nil, _ generator: inout some RandomNumberGenerator
    ) throws -> HelloResponse {
        let request = HelloRequest(replica: replica, last: nil, cursor: cursor, wallMilliseconds: 0)
        return try HelloResponse(
            decoding: post("hello", request.encoded(), to: zone, token: token, &generator))
    }

    /// Pushes change sets.
    ///
    /// - Returns: The answer.
    @discardableResult func push(
        _ sets: [ChangeSet], to zone: String = zone, token: String? = nil,
        _ generator: inout some RandomNumberGenerator
    ) throws -> [UInt8] {
        let epoch = try hello(
            as: ReplicaID(high: 1, low: 1), to: zone, token: token, &generator
        ).epoch
        let request = PushRequest(epoch: epoch, changeSets: sets.map { $0.encoded() })
        return try post("push", request.encoded(), to: zone, token: token, &generator)
    }
}
