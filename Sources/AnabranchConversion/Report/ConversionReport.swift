public import AnabranchModel

/// The result of a conversion.
public struct ConversionReport: Sendable {
    /// Whether the conversion created the store.
    ///
    /// It is closed: only a new major version adds a case.
    public enum Outcome: String, Sendable {
        /// The store is new.
        case created
        /// The store has been converted from this source before, and was not touched.
        case unchanged
    }

    /// Whether the conversion created the store.
    public let outcome: Outcome
    /// The UUID of the source, as its object URIs have it.
    public let sourceUUID: String
    /// The model of the new store.
    public let model: ManagedObjectModel
    /// The number of objects of each entity, without those of its sub-entities.
    public let objectCounts: [String: Int]
    /// The number of links of many-to-many relationships.
    public let linkCount: Int
    /// The counts of the source's persistent history; `nil` if it keeps none.
    public let history: ConvertedHistory?
    /// Every value that is not in the store exactly as it was found.
    public let doubts: [ConversionDoubt]

    /// The number of objects.
    public var objectCount: Int { objectCounts.values.reduce(0, +) }
}
