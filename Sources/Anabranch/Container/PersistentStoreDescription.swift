package import AnabranchStore
public import Foundation

/// Which store a container opens, and how.
public struct PersistentStoreDescription: Sendable {
    /// Of a file; or `memory:` and a name, of a store in memory.
    public var url: URL
    public var options = StoreOptions()
    /// What a simulation replaces.
    package var environment = StoreEnvironment.system

    /// - Parameter url: Of a file, whether or not it exists; or as ``inMemory(named:)`` has it.
    public init(url: URL) { self.url = url }
}

extension PersistentStoreDescription {
    private static let memoryScheme = "memory"

    /// A new store that is nowhere but in memory, for tests and previews.
    ///
    /// It behaves as a store in a file does: contexts, history, syncing, bundles and conflicts
    /// work, readers see one state while others write. It is empty at first, another one each
    /// time that this is asked for, and gone when the last container that has it open is closed
    /// or released.
    public static var inMemory: PersistentStoreDescription { inMemory(named: UUID().uuidString) }

    /// The store in memory that has a name in this process.
    ///
    /// Containers that are open at the same time have it in common, as they would have a file.
    /// Once none has it open any more it is gone, and the name is that of a new one.
    public static func inMemory(named name: String) -> PersistentStoreDescription {
        // Letters and digits stay as they are, so that two names have two paths.
        let path = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        guard let url = URL(string: "\(memoryScheme):\(path)") else {
            preconditionFailure("A percent-encoded name is the path of a URL: \(path)")
        }
        return PersistentStoreDescription(url: url)
    }

    /// Whether nothing of the store is ever on a disk.
    public var isInMemory: Bool { Self.isInMemory(url) }

    static func isInMemory(_ url: URL) -> Bool { url.scheme == memoryScheme }

    /// By which SQLite knows the store.
    var path: String { isInMemory ? url.absoluteString : url.path }

    var storeEnvironment: StoreEnvironment { isInMemory ? environment.inMemory : environment }
}
