internal import AnabranchStore

/// A zone in which all records belong to entities that the store's model lacks.
///
/// It is probably the zone of another app: an exchange succeeds and shows no record. If it is the
/// zone of a later version of this app, the records show as soon as the model has their entities.
public struct ForeignZone: Hashable, Sendable {
    /// The wire names of the entities of which other replicas have inserted records, in order.
    public let zoneEntities: [String]
    /// The names of the entities of the store's model, in order.
    public let modelEntities: [String]

    init(_ entities: ForeignEntities) {
        zoneEntities = entities.zone
        modelEntities = entities.model
    }

    /// The fact for people, with the names of both sides.
    public var message: String {
        "No record of the zone shows here, because all of them are of the entities "
            + "\(Self.text(zoneEntities)), and the model of this store has "
            + "\(Self.text(modelEntities)). It may be the zone of another app."
    }

    /// Some of the names: a model may have hundreds.
    private static func text(_ names: [String]) -> String {
        let shown = names.prefix(8).joined(separator: ", ")
        return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
    }
}

extension SyncError {
    /// Creates the error of an exchange that the options do not allow with such a zone.
    init(_ foreign: ForeignZone) {
        self.init(
            .foreignZone,
            "Can't sync with the zone because it may belong to another app. \(foreign.message) "
                + "Nothing of this store was sent since the zone's records arrived. Check the name "
                + "of the zone, and sync a new store: this one has the records of the zone.",
            details: [
                "zoneEntities": foreign.zoneEntities.joined(separator: ","),
                "modelEntities": foreign.modelEntities.joined(separator: ","),
            ])
    }
}
