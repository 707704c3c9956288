/// The objects of a result that have one value in common, as they were at one moment.
public struct FetchedResultsSection<Object: ManagedObject> {
    /// The value as text; empty of a result without sections, and where the value is missing.
    public let name: String
    /// What an index beside a list has for the section; `nil` for nothing.
    public let indexTitle: String?
    /// In their order. Of a section that was deleted, none.
    public let objects: FetchedObjects<Object>

    public var numberOfObjects: Int { objects.count }
}

@available(*, unavailable)
extension FetchedResultsSection: Sendable {}
