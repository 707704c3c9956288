package import AnabranchStore
public import Foundation

/// Which store file a container opens, and how.
public struct PersistentStoreDescription: Sendable {
    public var url: URL
    public var options = StoreOptions()
    /// What a simulation replaces.
    package var environment = StoreEnvironment.system

    public init(url: URL) { self.url = url }
}
