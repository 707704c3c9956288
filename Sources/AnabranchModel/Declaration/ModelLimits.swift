/// Limits on the size of a model: what a store can hold, and what hostile bytes may allocate.
enum ModelLimits {
    static let greatestEntityCount = 4096
    /// The greatest number of entities from a root to its lowest sub-entity.
    static let deepestHierarchy = 64
    /// The greatest number of composite attributes on the way to an element.
    static let deepestComposite = 16
    /// The greatest number of properties of one hierarchy.
    ///
    /// A hierarchy shares one table. SQLite's tables have at most 2,000 columns, and the store uses
    /// some of them itself.
    static let maximumPropertiesInHierarchy = 1900
    /// The greatest number of properties of all entities together.
    ///
    /// Inherited properties count once for each entity, as each entity's description lists them.
    static let maximumSlots = 1 << 18
}
