import AnabranchReplication

/// The entity of a zone's settings, which is in no model.
///
/// Its records travel in change sets like all others: through any server, in snapshots and in
/// bundles. Every store keeps them among its deferred rows, where a migration leaves them. A build
/// that knows no settings keeps them there too, as it keeps what a later model adds.
enum ZoneSettings {
    /// The wire name of the entity. A model can't use it.
    static let entity: WireName = "ab_zone"
    /// The least version of the app that may sync with the zone. It only rises.
    static let minimumVersion = WireProperty(name: "minimumVersion", type: .integer64, rule: .max)
}
