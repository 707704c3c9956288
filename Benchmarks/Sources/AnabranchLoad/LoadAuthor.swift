import AnabranchProtocol
import AnabranchReplication
import Foundation

/// A replica that pushes saves of one new record each.
struct LoadAuthor {
    private let replica = ReplicaID(high: .random(in: 1...UInt64.max), low: 1)
    private var sequence: UInt64 = 0
    private var origin = Digest.zero
    private var clock = HybridClock()
    private static let title = WireProperty(name: "title", type: .string)
    private static let count = WireProperty(name: "count", type: .integer64)

    /// A save that inserts records.
    mutating func save(records: Int = 1) -> ChangeSet {
        sequence += 1
        let first = (sequence - 1) * UInt64(records) + 1
        let ids = (0..<records).map { RecordID(replica: replica, number: first + UInt64($0)) }
        let payload = ChangePayload(blocks: [
            .insert(
                RowBlock(
                    entity: "Note", records: ids, properties: [Self.title, Self.count],
                    columns: [
                        ValueColumn(ids.map { .string("Note \($0.number)") }),
                        ValueColumn(ids.map { .integer(Int64($0.number)) }),
                    ]))
        ]).encoded(author: replica)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let set = ChangeSet(
            saving: payload, dot: Dot(replica: replica, sequence: sequence),
            timestamp: clock.tick(wallMilliseconds: now) ?? .zero, previousOrigin: origin,
            context: .empty)
        origin = set.origin
        return set
    }

    static func epoch(
        of zone: LoadZone, through connection: LoadConnection
    ) throws -> EpochID {
        let request = HelloRequest(
            replica: ReplicaID(high: 1, low: 1), last: nil, cursor: nil, wallMilliseconds: 0)
        return try HelloResponse(
            decoding: connection.post("hello", request.encoded(), to: zone)
        ).epoch
    }

    /// Pushes saves and checks that they were acknowledged.
    static func push(
        _ sets: [ChangeSet], epoch: EpochID, to zone: LoadZone, through connection: LoadConnection
    ) throws {
        let request = PushRequest(epoch: epoch, changeSets: sets.map { $0.encoded() })
        let response = try PushResponse(
            decoding: connection.post("push", request.encoded(), to: zone))
        guard response.acknowledgedCount == sets.count else {
            throw LoadError("A push was refused: \(String(describing: response.refusal)).")
        }
    }
}
