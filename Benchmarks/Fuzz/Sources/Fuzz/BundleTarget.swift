import AnabranchModel
import AnabranchReplication
import AnabranchStore
import Foundation

extension FuzzTarget {
    /// A bundle, which a store in memory imports as `anabranch bundle apply` does.
    ///
    /// If the first byte is even, the others are a bundle without its digest. Otherwise they are
    /// saves, which become a bundle with digests and contexts that agree: see ``FuzzedSaves``. The
    /// store refuses the bundle and is as before, or it holds what the bundle brought: importing it
    /// again changes nothing, and the state can be read.
    static let bundle = FuzzTarget(name: "bundle") { bytes in
        guard let form = bytes.first else { return }
        let rest = bytes.dropFirst()
        if form % 2 == 0 {
            let start = Array(rest)
            sample.check(start + Digest(of: start).bytes)
        } else {
            var saves = FuzzedSaves()
            sample.check(saves.bundle(of: rest))
        }
    }

    private static let sample: ImportingStore = {
        do {
            return try ImportingStore()
        } catch {
            preconditionFailure("The model of the importing store is refused: \(error)")
        }
    }()
}

/// Saves that bytes describe, up to four authors.
///
/// Each save has one byte, whose lowest two bits choose the author, and the next bit whether the
/// author has seen all saves before it; two bytes of a length; and as many bytes of payload.
private struct FuzzedSaves {
    private var heads: [ReplicaID: ChangeSet] = [:]
    private var time: UInt64 = 1 << 20

    mutating func bundle(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        var encoder = BundleEncoder()
        var bundle = encoder.begin(
            BundleHeader(sender: ReplicaID(high: 9, low: 9), wallMilliseconds: 0, heads: []))
        var rest = bytes
        while let choice = rest.popFirst(), let high = rest.popFirst(), let low = rest.popFirst() {
            let payload = rest.prefix(Int(high) << 8 | Int(low))
            rest = rest.dropFirst(payload.count)
            let set = save(Array(payload), by: choice % 4, seeingAll: choice & 4 != 0)
            bundle += encoder.append(set)
        }
        return bundle + encoder.finish()
    }

    private mutating func save(
        _ payload: [UInt8], by author: UInt8, seeingAll: Bool
    ) -> ChangeSet {
        let replica = ReplicaID(high: 1, low: UInt64(author))
        let last = heads[replica]
        time += 1
        let seen = seeingAll ? heads.values.filter { $0.dot.replica != replica } : []
        let set = ChangeSet(
            saving: payload,
            dot: Dot(replica: replica, sequence: (last?.dot.sequence ?? 0) + 1),
            timestamp: HybridTimestamp(rawValue: time), previousOrigin: last?.origin ?? .zero,
            context: CausalContext(
                beyond: seen.map { .init(dot: $0.dot, originPrefix: $0.origin.prefix) }))
        heads[replica] = set
        return set
    }
}

/// A store in memory, which is new for each bundle.
private struct ImportingStore {
    private let model: ManagedObjectModel
    private let environment = StoreEnvironment.system.inMemory
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("anabranch-fuzz-\(getpid()).bundle").path

    init() throws {
        model = try ManagedObjectModel {
            EntityDeclaration("Task", deletePolicy: .updateWins) {
                AttributeDeclaration("age", .integer64)
                AttributeDeclaration("best", .integer32, mergeRule: .max)
                AttributeDeclaration("born", .date, mergeRule: .firstWriter)
                AttributeDeclaration("fee", .decimal, mergeRule: .min)
                AttributeDeclaration("note", .string, mergeRule: .keepBoth)
                AttributeDeclaration("paid", .decimal, mergeRule: .counter)
                AttributeDeclaration("city", .string)
                AttributeDeclaration("zip", .integer32)
                AttributeGroup("address", attributes: ["city", "zip"])
                RelationshipDeclaration("boss", to: "Person")
                RelationshipDeclaration("chief", to: "Person", inverse: "duties")
            }
            EntityDeclaration("Person") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("visits", .integer64, mergeRule: .counter)
                RelationshipDeclaration("friends", toMany: "Person")
                RelationshipDeclaration("duties", toMany: "Task", ordered: true, inverse: "chief")
                RelationshipDeclaration(
                    "circle", toMany: "Person", ordered: true, inverse: "circle")
            }
        }
    }

    /// Imports a bundle into a new store, and checks the store afterwards.
    func check(_ bundle: [UInt8]) {
        do {
            try Data(bundle).write(to: URL(filePath: path))
            let store = try Store.open(at: "fuzz", model: model, environment: environment)
            defer { store.close() }
            let isTaken = (try? store.importBundle(from: path) { _ in }) != nil
            _ = try store.canonicalHash()
            guard isTaken else { return }
            let again = try store.importBundle(from: path) { _ in }
            precondition(again.appliedCount == 0, "a bundle is applied twice")
        } catch {
            preconditionFailure("a store is spoiled by a bundle: \(error)")
        }
    }
}
