import AnabranchStore
import Dispatch
public import Foundation

extension PersistentStoreCoordinator {
    /// Exports the store's change sets to a file, from which another store can import them.
    ///
    /// The store first flushes these change sets to the disk, so that no replica holds a save that
    /// this store can lose. The file appears under its name only when it is complete.
    ///
    /// A store that began with a snapshot of its zone does not hold the change sets behind the
    /// snapshot. Its bundles are for stores that have them from another source.
    ///
    /// - Parameters:
    ///   - url: The location of the new file. An existing bundle there is replaced.
    ///   - base: The change sets that the receiver already holds, which are left out.
    ///   - keyRing: Keys for encryption; the newest key encrypts the bundle. Only a holder of that
    ///     key can read the bundle, and a reader can verify that a holder of one of its own keys
    ///     wrote it. `nil` writes plain text.
    /// - Returns: The exported bundle.
    /// - Throws: `StoreError` with code `alreadyExists` if the file exists and is not a bundle
    ///   (above all, the store itself); `cannotOpen` or `diskFull` if the file can't be written;
    ///   `notDurable` if it was written but may not be on the disk yet; `corrupt` if the store has
    ///   lost a part of a large save; `notHeld` if the store holds no save of the replica that the
    ///   base names.
    @discardableResult
    public func exportBundle(
        to url: URL, lacking base: ChangeBundle.Base = .nothing,
        sealedWith keyRing: BundleKeyRing? = nil
    ) throws -> ChangeBundle {
        let summary = try store.exportBundle(to: url.path, lacking: base.base, sealedWith: keyRing)
        return ChangeBundle(summary, at: url, keyRing)
    }

    /// Imports the change sets of a bundle and returns when the contexts show them.
    ///
    /// If the store holds the predecessor and the causes of a change set, it is applied like one
    /// from a zone. Values that the merge discards go to the conflict journal, and contexts
    /// refresh their objects by ID and keep unsaved changes. The other change sets wait in the
    /// store until a bundle or a sync brings what they lack. If a history has forked, the branch
    /// that came first stays until a zone's log decides which branch keeps the replica ID; the
    /// other branch waits.
    ///
    /// Each context merges the changes on its own queue, the view context on the main queue. Do
    /// not block one of these queues until this method returns: that is a deadlock.
    ///
    /// When this returns, everything that the bundle brought is on the disk, whatever the store's
    /// durability, so you may delete the bundle. A bundle is refused with `clockSkew` if a change
    /// set in it is dated more than 7 days ahead of this device's clock, and of everything that
    /// this store holds.
    ///
    /// - Parameters:
    ///   - url: The location of the bundle.
    ///   - keyRing: The keys that can open an encrypted bundle. If you pass one, a plain-text
    ///     bundle is refused, because an attacker could have replaced the encrypted file by it.
    /// - Returns: The numbers of change sets that were applied, were already held, and wait.
    /// - Throws: `StoreError` with code `cannotOpen`, `damagedBundle`, `newerFormat`,
    ///   `keyRequired`, `keyMissing`, `notSealed` or `clockSkew`; nothing was changed then, unless
    ///   the message says that the file was changed during the import. After that, or after any
    ///   other error, import the bundle again; the import continues where it stopped.
    @discardableResult
    public func importBundle(
        from url: URL, openedWith keyRing: BundleKeyRing? = nil
    ) async throws -> ChangeBundle.Outcome {
        let pages = DispatchGroup()
        let outcome = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { [self] in
                continuation.resume(with: Result { try apply(url, keyRing, tracking: pages) })
            }
        }
        await withCheckedContinuation { continuation in
            pages.notify(queue: .global()) { continuation.resume() }
        }
        return ChangeBundle.Outcome(
            appliedCount: outcome.appliedCount, heldCount: outcome.heldCount,
            waitingCount: outcome.waitingCount)
    }

    private func apply(
        _ url: URL, _ keyRing: BundleKeyRing?, tracking pages: DispatchGroup
    ) throws -> BundleOutcome {
        try store.importBundle(from: url.path, openedWith: keyRing) { changed in
            guard !changed.isEmpty || !changed.conflicts.isEmpty else { return }
            pages.enter()
            didApply(changed, author: "bundle") { pages.leave() }
        }
    }

    /// Returns the number of change sets from bundles that wait in the store for their causes.
    ///
    /// - Throws: `StoreError`.
    public func waitingChangeSetCount() throws -> Int {
        try store.read { try $0.waitingCount() }
    }
}
