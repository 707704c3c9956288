import AnabranchProtocol
import AnabranchReplication
package import AnabranchSync

/// A connection to a zone that loses, duplicates, delays, reorders and damages messages, all from
/// one seed.
package struct FaultyNetwork: Sendable {
    /// The rates of the faults. Each fault happens to about one message in this many; zero means
    /// never.
    package struct Faults: Sendable {
        package var requestLoss = 0
        package var responseLoss = 0
        /// The request arrives twice.
        package var duplication = 0
        /// The client times out, and the request arrives at some later time.
        package var delay = 0
        /// A byte of the message changes.
        package var corruption = 0
        /// A list of change sets in an otherwise valid message is damaged: one is missing, doubled,
        /// out of order or has a changed byte. A faulty peer or disk does that.
        package var setDamage = 0

        package init() {}

        package static let none = Faults()

        /// Returns faults of every kind in one message of `period`, and damaged change sets twice
        /// as often.
        package static func all(oneIn period: Int) -> Faults {
            var faults = Faults()
            faults.requestLoss = period
            faults.responseLoss = period
            faults.duplication = period
            faults.delay = period
            faults.corruption = period
            faults.setDamage = (period + 1) / 2
            return faults
        }
    }

    package var faults: Faults
    private var generator: SeededGenerator
    private var late: [(SyncEndpoint, [UInt8])] = []

    package init(seed: UInt64, faults: Faults) {
        generator = SeededGenerator(seed: seed)
        self.faults = faults
    }

    /// Derives all later faults from another seed.
    package mutating func reseed(_ seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// - Parameter server: Called any number of times.
    package mutating func send(
        _ endpoint: SyncEndpoint, _ body: [UInt8],
        to server: (SyncEndpoint, [UInt8]) -> TransportReply
    ) -> Result<TransportReply, SyncError> {
        deliverLate(to: server)
        if happens(faults.requestLoss) { return .failure(Self.lost) }
        if happens(faults.delay) {
            late.append((endpoint, body))
            return .failure(Self.slow)
        }
        let sent = damaged(endpoint, body, isResponse: false)
        let first = server(endpoint, sent)
        let reply = happens(faults.duplication) ? server(endpoint, sent) : first
        if happens(faults.responseLoss) { return .failure(Self.lost) }
        guard case .message(let bytes) = reply else { return .success(reply) }
        return .success(.message(damaged(endpoint, bytes, isResponse: true)))
    }

    /// Delivers the requests of clients that have timed out, in another order.
    private mutating func deliverLate(to server: (SyncEndpoint, [UInt8]) -> TransportReply) {
        guard !late.isEmpty, generator.oneIn(2) else { return }
        late.shuffle(using: &generator)
        let (endpoint, body) = late.removeLast()
        _ = server(endpoint, body)
    }

    private mutating func happens(_ period: Int) -> Bool {
        period > 0 && generator.oneIn(period)
    }

    private mutating func damaged(
        _ endpoint: SyncEndpoint, _ bytes: [UInt8], isResponse: Bool
    ) -> [UInt8] {
        if happens(faults.setDamage) {
            return withDamagedSets(endpoint, bytes, isResponse: isResponse) ?? bytes
        }
        guard happens(faults.corruption), !bytes.isEmpty else { return bytes }
        var bytes = bytes
        flip(&bytes, in: bytes.indices)
        return bytes
    }

    private mutating func flip(_ bytes: inout [UInt8], in range: Range<Int>) {
        let index = Int.random(in: range, using: &generator)
        bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
    }

    private mutating func withDamagedSets(
        _ endpoint: SyncEndpoint, _ bytes: [UInt8], isResponse: Bool
    ) -> [UInt8]? {
        switch (endpoint, isResponse) {
        case (.push, false):
            guard var request = try? PushRequest(decoding: bytes) else { return nil }
            damage(&request.changeSets)
            return request.encoded()
        case (.pull, true):
            guard var response = try? PullResponse(decoding: bytes) else { return nil }
            damage(&response.changeSets)
            return response.encoded()
        default: return nil
        }
    }

    private mutating func damage(_ sets: inout [[UInt8]]) {
        guard !sets.isEmpty else { return }
        let index = Int.random(in: sets.indices, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: sets.remove(at: index)
        case 1: sets.removeFirst()
        case 2: sets.insert(sets[index], at: index)
        case 3: sets.swapAt(index, Int.random(in: sets.indices, using: &generator))
        default:
            guard let covered = Self.coveredBytes(of: sets[index]) else { return }
            flip(&sets[index], in: covered)
        }
    }

    /// Returns the range that the digest covers: after version, length and dot, before origins and
    /// causal context.
    private static func coveredBytes(of set: [UInt8]) -> Range<Int>? {
        var reader = ByteReader(set)
        guard (try? reader.readByte()) != nil, (try? reader.readNested()) != nil else { return nil }
        return reader.offset > 41 ? 40..<reader.offset : nil
    }

    private static let lost = SyncError(.unreachable, "The network lost a message.")
    private static let slow = SyncError(.timedOut, "The network is slow.")
}
