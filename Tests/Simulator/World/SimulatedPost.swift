import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport

/// Bundles on their way from replica to replica: in any order, more than once, or never.
///
/// The files lie on the real disk: what a simulated one could do to them, a cut or a changed byte,
/// is refused whole, and tested where bundles are.
final class SimulatedPost {
    private let world: SimulatedWorld
    private let folder: TemporaryDirectory?
    private var bundles: [String] = []

    init(_ world: SimulatedWorld) {
        self.world = world
        folder = try? TemporaryDirectory("simulation-bundles")
    }

    /// A replica writes a bundle, or takes one in, or both.
    func pass(through replica: SimulatedReplica) throws {
        guard let folder else { throw SimulationFailure("there is no folder for bundles") }
        if bundles.isEmpty || world.oneIn(2) {
            let path = folder.file("\(bundles.count).bundle")
            if try replica.write(bundle: path, lacking: try base()) { bundles.append(path) }
        }
        guard !world.oneIn(3), let bundle = world.element(of: bundles) else { return }
        try replica.take(bundle: bundle)
    }

    /// Nothing, or what the sender of some bundle had: whoever gets the new one may lack it.
    private func base() throws -> BundleBase {
        guard !world.oneIn(3), let bundle = world.element(of: bundles) else { return .nothing }
        return BundleBase(senderOf: try BundleFile(bundle).check().header)
    }
}

extension SimulatedReplica {
    /// - Returns: Whether the bundle was finished.
    func write(bundle: String, lacking base: BundleBase) throws -> Bool {
        guard try work({ _ = try store.exportBundle(to: bundle, lacking: base) }) else {
            return false
        }
        statistics.note(.bundleWritten)
        var origins: [Digest] = []
        try BundleFile(bundle).forEachItem { item in
            if case .changeSet(let set) = item { origins.append(set.origin) }
        }
        tell("wrote a bundle of \(origins.count)")
        handedOut.formUnion(origins)
        return true
    }

    func take(bundle: String) throws {
        var outcome = BundleOutcome()
        let isDone = try work { outcome = try store.importBundle(from: bundle) { _ in } }
        if isDone {
            statistics.note(.bundleTaken)
            statistics.note(.setWaited, count: outcome.waitingCount)
            tell("took in a bundle: \(outcome)")
        }
        try readLog()
        try checkKnowledge()
    }

    /// - Returns: Whether the process has survived it.
    private func work(_ body: () throws -> Void) throws -> Bool {
        do { try body() } catch {
            guard crash.death != nil else { throw error }
        }
        guard crash.death != nil else { return true }
        statistics.note(.crashWithBundle)
        try reopen()
        return false
    }
}
