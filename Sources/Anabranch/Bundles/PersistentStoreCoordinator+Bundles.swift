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
    /// - Parameter base: What whoever gets the bundle has already: that is left out.
    /// - Throws: ``StoreError``: `cannotOpen` or `diskFull` where the file can't be written,
    ///   `notHeld` where the store knows no save of the replica that the base names.
    @discardableResult
    public func exportBundle(
        to url: URL, lacking base: ChangeBundle.Base = .nothing
    ) throws -> ChangeBundle {
        ChangeBundle(try store.exportBundle(to: url.path, lacking: base.base), at: url)
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
    /// - Throws: ``StoreError``: `cannotOpen`, `damagedBundle`, `newerFormat`, and nothing was
    ///   changed; after any other error take the bundle in again, which goes on where it broke off.
    @discardableResult
    public func importBundle(from url: URL) async throws -> ChangeBundle.Outcome {
        let pages = DispatchGroup()
        let outcome = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { [self] in
                continuation.resume(with: Result { try takeIn(url, noting: pages) })
            }
        }
        await withCheckedContinuation { continuation in
            pages.notify(queue: .global()) { continuation.resume() }
        }
        return ChangeBundle.Outcome(
            appliedCount: outcome.appliedCount, heldCount: outcome.heldCount,
            waitingCount: outcome.waitingCount)
    }

    private func takeIn(_ url: URL, noting pages: DispatchGroup) throws -> BundleOutcome {
        try store.importBundle(from: url.path) { changed in
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
