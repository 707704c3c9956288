import AnabranchStore
import Dispatch
public import Foundation

extension PersistentStoreCoordinator {
    /// Writes the store's change sets into a file, from which another store takes them in.
    ///
    /// All that leaves the store is flushed to the disk first, so that nobody has a save that this
    /// store can forget. The file gets its name when it is whole.
    ///
    /// A store that began with a snapshot of its zone has no change sets of what that stands for:
    /// its bundles are for stores that have this from elsewhere, as the bundle's `needs` say.
    ///
    /// - Parameters:
    ///   - base: What whoever gets the bundle has already: that is left out.
    ///   - keyRing: Its newest key seals the bundle, so that only who has that key can read it, and
    ///     only who has one of the reader's keys can have written it. Without one it is plain text.
    /// - Throws: ``StoreError``: `alreadyExists` where the file is there and is no bundle, above
    ///   all the store itself; `cannotOpen` or `diskFull` where it can't be written; `notDurable`
    ///   where it is there and perhaps not yet on the disk; `corrupt` where the store has lost a
    ///   piece of a large save; `notHeld` where it knows no save of the replica that the base
    ///   names.
    @discardableResult
    public func exportBundle(
        to url: URL, lacking base: ChangeBundle.Base = .nothing,
        sealedWith keyRing: BundleKeyRing? = nil
    ) throws -> ChangeBundle {
        let summary = try store.exportBundle(
            to: url.path, lacking: base.base, sealedWith: keyRing)
        return ChangeBundle(summary, at: url, keyRing)
    }

    /// Takes in the change sets of a bundle, and returns when the contexts show them.
    ///
    /// Change sets whose predecessors and causes are here are applied as those of a zone are:
    /// what merging discards goes to the conflict journal, contexts refresh by IDs and keep
    /// unsaved edits. The others wait in the store until what they lack comes, by a bundle or a
    /// sync. Of a forked history the branch that came first stays until a zone's log says which
    /// one has the name; the other waits.
    ///
    /// Contexts take the changes in on their own queues, the view context on the main one: who
    /// blocks that queue until this returns waits for itself.
    ///
    /// - Parameter keyRing: Opens a sealed bundle. With one, plain text is refused: anybody may
    ///   have put it in the place of what was sealed.
    /// - Throws: ``StoreError``: `cannotOpen`, `damagedBundle`, `newerFormat`, `keyRequired`,
    ///   `keyMissing`, `notSealed`, and nothing was changed, unless the message says that somebody
    ///   has changed the file meanwhile. After that, or any other error, take the bundle in again,
    ///   which goes on where it broke off.
    @discardableResult
    public func importBundle(
        from url: URL, openedWith keyRing: BundleKeyRing? = nil
    ) async throws -> ChangeBundle.Outcome {
        let pages = DispatchGroup()
        let outcome = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { [self] in
                continuation.resume(with: Result { try takeIn(url, keyRing, noting: pages) })
            }
        }
        await withCheckedContinuation { continuation in
            pages.notify(queue: .global()) { continuation.resume() }
        }
        return ChangeBundle.Outcome(
            appliedCount: outcome.appliedCount, heldCount: outcome.heldCount,
            waitingCount: outcome.waitingCount)
    }

    private func takeIn(
        _ url: URL, _ keyRing: BundleKeyRing?, noting pages: DispatchGroup
    ) throws -> BundleOutcome {
        try store.importBundle(from: url.path, openedWith: keyRing) { changed in
            guard !changed.isEmpty || !changed.conflicts.isEmpty else { return }
            pages.enter()
            didApply(changed, author: "bundle") { pages.leave() }
        }
    }

    /// Change sets of bundles that wait in the store for others.
    ///
    /// - Throws: ``StoreError``.
    public func waitingChangeSetCount() throws -> Int {
        try store.read { try $0.waitingCount() }
    }
}
