import Foundation

/// The witnesses of all faults.
final class Witnesses {
    private let server: URL
    private let store: String
    private let guarded: GuardedFolder
    private var all: [Witness] = []

    init(at server: URL, store: String, in guarded: GuardedFolder) {
        self.server = server
        self.store = store
        self.guarded = guarded
    }

    /// Starts a witness.
    func add(seed: UInt64) throws -> Witness {
        let witness = try Witness(all.count, at: server, store: store, in: guarded, seed: seed)
        all.append(witness)
        return witness
    }

    /// What all of them together were told as acknowledged, and what the zones lack of it.
    func result() async throws -> Witness.Result {
        var (acknowledged, lost) = (0, 0)
        for witness in all {
            let result = try await witness.result()
            acknowledged += result.acknowledged
            lost += result.lost
            if result.lost > 0 { print("cluster: \(witness.name): \(result.description)") }
        }
        return Witness.Result(acknowledged: acknowledged, lost: lost)
    }
}
