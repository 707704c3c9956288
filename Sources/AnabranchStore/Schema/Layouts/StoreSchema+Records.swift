import AnabranchModel
import AnabranchReplication

extension StoreSchema {
    /// The layout of an entity; `nil` if its records are kept as those of an unknown entity, which
    /// includes abstract entities.
    func recordLayout(named name: WireName) -> EntityLayout? {
        guard let entity = model.entity(wireName: name), !entity.isAbstract else { return nil }
        return layout(of: entity)
    }
}
