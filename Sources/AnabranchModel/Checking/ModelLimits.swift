/// How large a model may be: what a store can hold, and what hostile bytes may cost.
enum ModelLimits {
    static let greatestEntityCount = 4096
    /// Entities from a root to the lowest.
    static let deepestHierarchy = 64
    /// A hierarchy shares one table, and SQLite's tables have at most 2,000 columns, some of them
    /// the store's own.
    static let mostPropertiesInHierarchy = 1900
    /// Summed over all entities, inherited ones counted again: what the descriptions take.
    static let mostSlots = 1 << 18
}
