package import AnabranchStore
public import Foundation

/// The store that a container opens, and its options.
public struct PersistentStoreDescription: Sendable {
    /// The URL of a file, or `memory:` and a name for an in-memory store.
    public var url: URL
    /// The options with which the store is opened.
    public var options = StoreOptions()
    /// The stages by which a file of an earlier version of the model is migrated; `nil` infers the
    /// migration from the differences between the file's version and the present one.
    public var stagedMigration: StagedMigration?
    /// True if changes of other processes reach the contexts and the observers of this one.
    ///
    /// An app and its extension may have one file open, or an app and the command line. Each of
    /// them then gets the changes of the others within a tenth of a second: contexts with
    /// ``ManagedObjectContext/automaticallyMergesChangesFromParent``, the results and queries that
    /// follow them, ``PersistentStoreCoordinator/remoteChanges()`` and
    /// ``PersistentStoreCoordinator/remoteChange``. Two containers of one file in one process count
    /// as two processes. The file is watched from the moment when the first of these exists. While
    /// the file is not written, this costs nothing. On systems other than Linux the file is looked
    /// at once a second.
    public var followsOtherProcesses = true
    /// The clock, randomness and file access of the store, which a simulation replaces.
    package var environment = StoreEnvironment.system

    /// Creates a description with default options.
    ///
    /// - Parameter url: The URL of a file, which need not exist, or a URL as ``inMemory(named:)``
    ///   makes it.
    public init(url: URL) { self.url = url }
}

extension PersistentStoreDescription {
    private static let memoryScheme = "memory"

    /// A new store that exists in memory only, for tests and previews.
    ///
    /// It behaves like a store in a file: contexts, history, syncing, bundles and conflicts work,
    /// and readers see one state while another context writes. Each access to this property names
    /// a new, empty store. The store is discarded when the last container that has it open is
    /// closed or released.
    public static var inMemory: PersistentStoreDescription { inMemory(named: UUID().uuidString) }

    /// Returns the in-memory store with a name in this process.
    ///
    /// Containers that are open at the same time share it, as they would share a file. After the
    /// last one is closed the store is discarded, and the name stands for a new one.
    public static func inMemory(named name: String) -> PersistentStoreDescription {
        // Letters and digits stay unescaped, and so two names have two paths.
        let path = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        guard let url = URL(string: "\(memoryScheme):\(path)") else {
            preconditionFailure("A percent-encoded name is the path of a URL: \(path)")
        }
        return PersistentStoreDescription(url: url)
    }

    /// True if no part of the store is ever on a disk.
    package var isInMemory: Bool { Self.isInMemory(url) }

    static func isInMemory(_ url: URL) -> Bool { url.scheme == memoryScheme }

    /// The path that SQLite opens.
    var path: String { isInMemory ? url.absoluteString : url.path }

    /// A simulation, which repeats all steps in their order, has files of its own.
    var mayFollowOtherProcesses: Bool {
        followsOtherProcesses && (storeEnvironment.hasSystemFiles || isInMemory)
    }

    var storeEnvironment: StoreEnvironment { isInMemory ? environment.inMemory : environment }
}
