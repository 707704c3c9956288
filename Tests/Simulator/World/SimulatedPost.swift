import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport

/// Bundles on their way from replica to replica, in any order, more than once, or never.
///
/// The files are on the real disk. A bundle that is cut or has a changed byte is refused as a
/// whole; the tests of bundles check that.
final class SimulatedPost {
    private let world: SimulatedWorld
    private let folder: TemporaryDirectory?
    private var bundles: [String] = []

    /// The numbers of days by which the clock of an unknown store is ahead.
    private static let leads: [Int64] = [9, 400, 40_000, 1_600_000]

    init(_ world: SimulatedWorld) {
        self.world = world
        folder = try? TemporaryDirectory("simulation-bundles")
    }

    /// Lets a replica write a bundle, apply one, or do both.
    func pass(through replica: SimulatedReplica) throws {
        guard let folder else { throw SimulationFailure("there is no folder for bundles") }
        if bundles.isEmpty || world.oneIn(2) {
            let path = folder.file("\(bundles.count).bundle")
            if try replica.write(bundle: path, lacking: try base()) { bundles.append(path) }
        }
        if !world.oneIn(3), let bundle = world.element(of: bundles) {
            try replica.take(bundle: bundle)
        }
        // This is drawn last in the step, so that the rest of the step does not depend on it.
        if world.oneIn(4) { try passSkewed(to: replica, in: folder) }
    }

    /// Sends a replica a bundle of an unknown store with a clock that is days or millennia ahead.
    private func passSkewed(
        to replica: SimulatedReplica, in folder: TemporaryDirectory
    ) throws {
        guard replica.crash.death == nil else { return }
        let ahead = (world.element(of: Self.leads) ?? 9) * 86_400_000
        let world = world
        let environment = StoreEnvironment(
            wallMilliseconds: { world.milliseconds + ahead }, randomBytes: { world.bytes($0) })
        let stranger = try Store.open(
            at: folder.file("stranger"), model: replica.names.model,
            environment: environment.inMemory)
        defer { stranger.close() }
        let content = try SimulatedContent(of: stranger, replica.names)
        do {
            _ = try stranger.save(
                RandomSave(on: stranger, content: content, replica.names, world).request)
        } catch let error as StoreError where error.code == .constraintConflict {
            return
        }
        let path = folder.file("skewed.bundle")
        _ = try stranger.exportBundle(to: path)
        try replica.refuse(bundle: path)
    }

    /// Returns the base of a new bundle: nothing, or the knowledge of an earlier sender. The
    /// receiver may lack the base.
    private func base() throws -> BundleBase {
        guard !world.oneIn(3), let bundle = world.element(of: bundles) else { return .nothing }
        return BundleBase(senderOf: try BundleFile(bundle).check().header)
    }
}

extension SimulatedReplica {
    /// Writes a bundle file.
    ///
    /// - Returns: Whether the bundle was finished.
    func write(bundle: String, lacking base: BundleBase) throws -> Bool {
        guard try work({ _ = try store.exportBundle(to: bundle, lacking: base) }) else {
            return false
        }
        statistics.count(.bundleWritten)
        let origins = try origins(in: bundle)
        tell("wrote a bundle of \(origins.count)")
        handedOut.formUnion(origins)
        return true
    }

    private func origins(in bundle: String) throws -> [Digest] {
        var origins: [Digest] = []
        try BundleFile(bundle).forEachItem { item in
            if case .changeSet(let set) = item { origins.append(set.origin) }
        }
        return origins
    }

    func take(bundle: String) throws {
        var outcome = BundleOutcome()
        let isDone = try work { outcome = try store.importBundle(from: bundle) { _ in } }
        if isDone {
            statistics.count(.bundleTaken)
            statistics.count(.setWaited, count: outcome.waitingCount)
            tell("took in a bundle: \(outcome)")
            takenFromBundles.formUnion(try origins(in: bundle))
        }
        try readLog()
        try checkKnowledge()
    }

    /// Checks that the replica refuses a bundle with times that are too far ahead.
    func refuse(bundle: String) throws {
        do {
            _ = try store.importBundle(from: bundle) { _ in }
        } catch let error as StoreError where error.code == .clockSkew {
            statistics.count(.bundleRefused)
            return tell("refused a bundle: \(error.code.rawValue)")
        }
        throw SimulationFailure("\(path) has taken in a bundle whose times are too far ahead")
    }

    /// Runs `body`, and restarts the process if it dies.
    ///
    /// - Returns: Whether the process has survived.
    private func work(_ body: () throws -> Void) throws -> Bool {
        do { try body() } catch {
            guard crash.death != nil else { throw error }
        }
        guard crash.death != nil else { return true }
        statistics.count(.crashWithBundle)
        try reopen()
        return false
    }
}
