public import Foundation

extension PersistentStoreCoordinator {
    /// Writes a backup: a copy of the store, as it is at one moment, in one file.
    ///
    /// Contexts and other programs may save meanwhile. The file appears under its name when it is
    /// complete and on the disk. It is a store like the original, and holds its identity: when the
    /// original and a restored copy have both saved, they become two replicas by themselves.
    ///
    /// To restore a backup, close the store, remove its file and those with the endings `-wal` and
    /// `-shm`, and put a copy of the backup in its place.
    ///
    /// - Parameter url: The location of the new file. There must be no file.
    /// - Throws: `StoreError` with code `alreadyExists`, `cannotOpen` or `diskFull`.
    public func backUp(to url: URL) throws { try store.backUp(to: url.path) }
}
