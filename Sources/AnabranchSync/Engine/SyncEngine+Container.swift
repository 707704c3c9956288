public import Anabranch
internal import AnabranchStore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SyncEngine {
    /// An engine for a container's store; its contexts follow what the engine brings.
    ///
    /// - Parameters:
    ///   - container: Loaded.
    ///   - server: `https://host[:port]`; `nil` takes what the first sync has kept in the store.
    ///   - zone: As ``server``.
    ///   - token: As `anabranchd token create` printed it; it is not kept. `nil` where the
    ///     server asks for none.
    /// - Throws: ``SyncError``: `noServer` where neither given nor kept, `otherZone` where the
    ///   store syncs with another zone and ``SyncOptions/movesZone`` is not set, `invalidServer`,
    ///   `insecureServer`, `invalidZone`, `invalidToken`. Nothing was sent.
    public convenience init(
        container: PersistentContainer, server: URL? = nil, zone: String? = nil,
        token: String? = nil, options: SyncOptions = SyncOptions()
    ) throws {
        try self.init(
            coordinator: container.coordinator, server: server, zone: zone, token: token,
            options: options)
    }

    /// An engine for a coordinator's store; see ``init(container:server:zone:token:options:)``.
    public convenience init(
        coordinator: PersistentStoreCoordinator, server: URL? = nil, zone: String? = nil,
        token: String? = nil, options: SyncOptions = SyncOptions()
    ) throws {
        let address = try Self.address(
            of: coordinator.store, server: server, zone: zone, token: token, options: options)
        try self.init(
            coordinator: coordinator, address: address,
            transport: CurlTransport(address, options: options), options: options)
    }

    package convenience init(
        coordinator: PersistentStoreCoordinator, address: ServerAddress,
        transport: any Transport, options: SyncOptions = SyncOptions(),
        environment: SyncEnvironment = .system
    ) throws {
        let side = StoreSide(coordinator.store) { [weak coordinator] changed, done in
            guard let coordinator else { return done() }
            coordinator.didApply(changed, author: "sync", whenMerged: done)
        }
        try self.init(
            side: side, address: address, transport: transport, options: options,
            environment: environment)
    }

    private static func address(
        of store: Store, server: URL?, zone: String?, token: String?, options: SyncOptions
    ) throws -> ServerAddress {
        let kept = try SyncMetadata(of: store)
        guard let server = server ?? kept.server.flatMap(URL.init(string:)),
            let zone = zone ?? kept.zone
        else {
            throw SyncError(
                .noServer,
                "Can't sync \(store.path) because it has not synced before: give the server's "
                    + "address and the name of a zone.")
        }
        return try ServerAddress(
            server: server, zone: zone, token: token,
            allowingPlainHTTP: options.allowsPlainHTTP)
    }
}

extension SyncStatus {
    /// What a store's file says of its last exchange, without an engine and without asking the
    /// server.
    ///
    /// - Throws: `StoreError` where the file can't be read.
    public init(of coordinator: PersistentStoreCoordinator) throws {
        try self.init(of: coordinator.store)
    }

    /// What a container's store file says; see ``init(of:)-(PersistentStoreCoordinator)``.
    public init(of container: PersistentContainer) throws {
        try self.init(of: container.coordinator)
    }
}
