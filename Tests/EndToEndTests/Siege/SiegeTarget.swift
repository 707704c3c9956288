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
    /// The seconds for which an attacker waits for the daemon to take or send anything.
    private static let patienceSeconds = 2
    /// The seconds for which it waits for the answer to a message, because a debug build beside
    /// other tests needs many for a large save.
    private static let answerSeconds = 60

    static func path(_ page: String, of zone: String = zone) -> String {
        "/v1/zones/\(zone)/\(page)"
    }

    /// Connects from one of the attackers' addresses.
    func connect(
        patience seconds: Int = patienceSeconds, _ generator: inout some RandomNumberGenerator
    ) throws -> LoopbackClient {
        try LoopbackClient(
            port: port, from: Self.addresses.randomElement(using: &generator) ?? "127.0.0.2",
            patience: seconds)
    }

    /// Sends a message and waits for the answer with one of the statuses that the attack expects.
    ///
    /// - Returns: The body of the answer.
    @discardableResult func post(
        _ page: String, _ body: [UInt8], to zone: String = zone, token: String? = nil,
        encoding: String? = nil, expecting statuses: Set<Int> = [200],
        _ generator: inout some RandomNumberGenerator
    ) throws -> [UInt8] {
        let client = try connect(patience: Self.answerSeconds, &generator)
        client.post(
            Self.path(page, of: zone), body, token: token ?? writer, encoding: encoding)
        let (status, _, body) = client.answer()
        guard let status, statuses.contains(status) else { throw Unexpected(status, to: page) }
        return body
    }

    func hello(
        as replica: ReplicaID, cursor: LogCursor? = nil, to zone: String = zone,
        token: String? = nil, _ generator: inout some RandomNumberGenerator
    ) throws -> HelloResponse {
        let request = HelloRequest(replica: replica, last: nil, cursor: cursor, wallMilliseconds: 0)
        return try HelloResponse(
            decoding: post("hello", request.encoded(), to: zone, token: token, &generator))
    }

    /// The outcome of a push for which the hook gives no answer.
    static let silentHook = "hook gives no answer"

    /// Pushes change sets, and waits for the answer that the attack expects.
    ///
    /// - Parameter outcomes: The codes of the rejection, or refusal, of one of them; `nil` if all
    ///   are taken as they are; or ``silentHook``.
    func push(
        _ sets: [ChangeSet], to zone: String = zone, token: String? = nil,
        expecting outcomes: Set<String?> = [nil], _ generator: inout some RandomNumberGenerator
    ) throws {
        let epoch = try hello(
            as: ReplicaID(high: 1, low: 1), to: zone, token: token, &generator
        ).epoch
        let request = PushRequest(epoch: epoch, changeSets: sets.map { $0.encoded() })
        let answer = try post(
            "push", request.encoded(), to: zone, token: token, expecting: [200, 503], &generator)
        let outcome = try outcome(of: sets, answer)
        guard outcomes.contains(outcome) else {
            throw Unexpected(outcome ?? "an acceptance", to: "push")
        }
    }

    private func outcome(of sets: [ChangeSet], _ answer: [UInt8]) throws -> String? {
        guard let response = try? PushResponse(decoding: answer) else {
            let error = String(decoding: answer, as: UTF8.self)
            return error.contains(Self.silentHook) ? Self.silentHook : "503"
        }
        let taken = try response.acknowledgements(of: sets.map { .init($0) })
        let changed = zip(taken, sets).first { $0.rejection != $1.rejection }?.0.rejection
        return changed?.code.rawValue ?? response.refusal?.code.rawValue
    }

    /// The daemon answered otherwise than an attack expects, or not at all.
    struct Unexpected: Error, CustomStringConvertible {
        let description: String

        init(_ answer: String, to page: String) { description = "\(answer) to \(page)" }
        init(_ status: Int?, to page: String) {
            self.init(status.map { "\($0)" } ?? "no answer", to: page)
        }
    }
}
