public import Anabranch
internal import AnabranchStore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SyncEngine {
    /// Creates an engine for a container's store. The container's contexts merge the changes that
    /// the engine pulls.
    ///
    /// - Parameters:
    ///   - container: A container that has loaded its store.
    ///   - server: An address of the form `https://host[:port]`, or `nil` for the one that the
    ///     first sync stored.
    ///   - zone: The name of a zone, or `nil` for the one that the first sync stored.
    ///   - token: The token as `anabranchd token create` printed it, or `nil` if the server
    ///     requires none. The store does not keep it.
    ///   - options: Limits, timeouts and retries.
    /// - Throws: ``SyncError`` with code `noServer` if an address is neither given nor stored. The
    ///   code is `otherZone` if the store syncs with another zone and ``SyncOptions/movesZone`` is
    ///   not set. Invalid arguments give `invalidServer`, `insecureServer`, `invalidZone` or
    ///   `invalidToken`. Nothing was sent.
    public convenience init(
        container: PersistentContainer, server: URL? = nil, zone: String? = nil,
        token: String? = nil, options: SyncOptions = SyncOptions()
    ) throws {
        try self.init(
            coordinator: container.coordinator, server: server, zone: zone, token: token,
            options: options)
    }

    /// Creates an engine for a coordinator's store; see
    /// ``init(container:server:zone:token:options:)``.
    public convenience init(
        coordinator: PersistentStoreCoordinator, server: URL? = nil, zone: String? = nil,
        token: String? = nil, options: SyncOptions = SyncOptions()
    ) throws {
        let kept = try SyncMetadata(of: coordinator.store)
        let address = try Self.address(
            of: coordinator.store, kept, server: server, zone: zone, token: token,
            options: options)
        let options = options.completed(by: kept, for: address)
        try self.init(
            coordinator: coordinator, address: address,
            transport: CurlTransport(address, options: options), options: options)
    }

    /// Creates an engine with a given connection and environment, which tests replace.
    package convenience init(
        coordinator: PersistentStoreCoordinator, address: ServerAddress,
        transport: any Transport, options: SyncOptions = SyncOptions(),
        environment: SyncEnvironment = .system
    ) throws {
        let side = StoreExecutor(coordinator.store) { [weak coordinator] changed, done in
            guard let coordinator else { return done() }
            coordinator.didApply(changed, author: "sync", whenMerged: done)
        }
        try self.init(
            side: side, address: address, transport: transport, options: options,
            environment: environment)
    }

    private static func address(
        of store: Store, _ kept: SyncMetadata, server: URL?, zone: String?, token: String?,
        options: SyncOptions
    ) throws -> ServerAddress {
        guard let server = server ?? kept.server.flatMap(URL.init(string:)),
            let zone = zone ?? kept.zone
        else {
            throw SyncError(
                .noServer,
                "Can't sync \(store.path) because the store has no server and no zone yet. Give "
                    + "the server's address and the name of a zone.")
        }
        return try ServerAddress(
            server: server, zone: zone, token: token,
            allowingPlainHTTP: options.allowsPlainHTTP)
    }
}

extension SyncStatus {
    /// Reads the status from a store's file, without an engine and without asking the server.
    ///
    /// - Throws: `StoreError` if the file can't be read.
    public init(of coordinator: PersistentStoreCoordinator) throws {
        try self.init(of: coordinator.store)
    }

    /// Reads the status from a container's store file; see
    /// ``init(of:)-(PersistentStoreCoordinator)``.
    public init(of container: PersistentContainer) throws {
        try self.init(of: container.coordinator)
    }
}
