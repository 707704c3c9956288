import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport

extension StoreScenario {
    /// Writes a bundle of a store.
    ///
    /// - Returns: The bundle's file.
    @discardableResult
    func bundle(
        _ store: Store, as name: String, lacking base: BundleBase = .nothing,
        sealedWith keyRing: BundleKeyRing? = nil
    ) throws -> String {
        _ = try store.exportBundle(to: path(name), lacking: base, sealedWith: keyRing)
        return path(name)
    }

    /// Returns two stores that can't be told apart, with different saves under the same dots.
    func twins(savesOfCopy: [String] = ["of the copy"]) throws -> (original: Store, copy: Store) {
        let a = try open("a")
        try a.insertPerson("Anna")
        a.close()
        try copy("a", to: "b")
        return try Mechanism.without([.fileIdentity]) {
            let original = try open("a")
            let copy = try open("b")
            try original.insertPerson("of the original")
            for name in savesOfCopy { try copy.insertPerson(name) }
            return (original, copy)
        }
    }

    /// Returns the change sets of a bundle.
    func changeSets(
        in bundle: String, _ keyRing: BundleKeyRing? = nil
    ) throws -> [ChangeSet] {
        var sets: [ChangeSet] = []
        try BundleFile(bundle, BundleOpening(keyRing)).forEachItem { item in
            if case .changeSet(let set) = item { sets.append(set) }
        }
        return sets
    }

    /// Returns the unfinished files in the folder of all files.
    func partialFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".partial") }
    }

    /// Writes a bundle with given change sets in any order.
    func bundle(of sets: [ChangeSet], as name: String) throws -> String {
        var encoder = BundleEncoder()
        var bytes = encoder.begin(
            BundleHeader(sender: ReplicaID(high: 9, low: 9), wallMilliseconds: 0, heads: []))
        for set in sets { bytes += encoder.append(set) }
        bytes += encoder.finish()
        try Data(bytes).write(to: URL(filePath: path(name)))
        return path(name)
    }
}

extension Store {
    @discardableResult
    func take(
        _ bundle: String, openedWith keyRing: BundleKeyRing? = nil
    ) throws -> BundleOutcome {
        try importBundle(from: bundle, openedWith: keyRing) { _ in }
    }

    /// Sends everything that it has to another store.
    @discardableResult
    func send(
        to other: Store, in scenario: StoreScenario, lacking base: BundleBase = .nothing
    ) throws -> BundleOutcome {
        try other.take(scenario.bundle(self, as: "passing.bundle", lacking: base))
    }

    var waitingCount: Int { get throws { try read { try $0.waitingCount() } } }
}
