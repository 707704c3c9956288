/// The objects of a result that share the value of the section key path, at one moment.
public struct FetchedResultsSection<Object: ManagedObject> {
    /// The shared value as text. It is empty in a result without sections, and if the value is
    /// missing.
    public let name: String
    /// The section's title in the index of a list; `nil` for none.
    public let indexTitle: String?
    /// The objects in their order. A deleted section has none.
    public let objects: FetchedObjects<Object>

    /// The number of objects.
    public var numberOfObjects: Int { objects.count }
}

@available(*, unavailable)
extension FetchedResultsSection: Sendable {}
