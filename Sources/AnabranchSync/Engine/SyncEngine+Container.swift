public import Anabranch
internal import AnabranchStore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SyncEngine {
    /// An engine for a container's store.
    ///
    /// - Parameters:
    ///   - container: Loaded. Its contexts are refreshed as changes come in.
    ///   - server: `nil`: the one that the store keeps since its first sync.
    ///   - zone: `nil`: the one that the store keeps since its first sync.
    ///   - token: As `anabranchd token create` printed it; `nil` where the server asks for none.
    /// - Throws: ``SyncError``: `noServer` where neither caller nor store names server and zone,
    ///   `otherZone` where the store syncs with another, or what is wrong with an argument.
    public convenience init(
        container: PersistentContainer, server: URL? = nil, zone: String? = nil,
        token: String? = nil, options: SyncOptions = SyncOptions()
    ) throws {
        let coordinator = container.coordinator
        let kept = try SyncMetadata(of: coordinator.store)
        guard let server = server ?? kept.server.flatMap({ URL(string: $0) }),
            let zone = zone ?? kept.zone
        else {
            throw SyncError(
                .noServer,
                "Can't sync \(coordinator.url.path) because neither the store nor the "
                    + "caller names a server and a zone. The first sync has to name both.")
        }
        let address = try ServerAddress(
            server: server, zone: zone, token: token,
            allowingPlainHTTP: options.allowsPlainHTTP)
        try self.init(
            side: StoreSide(coordinator.store) { changes in coordinator.didApply(changes) },
            address: address, transport: CurlTransport(address, options: options),
            options: options)
    }
}

extension SyncStatus {
    /// What a container's store file says, without asking the server.
    ///
    /// - Throws: ``StoreError``.
    public init(of container: PersistentContainer) throws {
        try self.init(of: container.coordinator.store)
    }
}
