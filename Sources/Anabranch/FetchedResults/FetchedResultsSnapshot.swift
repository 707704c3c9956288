import AnabranchStore

/// A result at one moment: the names of its sections and the IDs of its objects.
///
/// Creating it costs nothing, whatever the number of objects, because IDs are looked up on access.
/// Use it on its context's queue only; `Array(snapshot.objectIDs)` can cross queues.
public struct FetchedResultsSnapshot {
    private let state: ResultsState
    private let origin: StoreOrigin
    /// The objects that have kept their place since the previous snapshot and have other values.
    public let updatedObjectIDs: [ManagedObjectID]

    init(_ state: ResultsState, _ origin: StoreOrigin, updated: [ManagedObjectID] = []) {
        self.state = state
        self.origin = origin
        updatedObjectIDs = updated
    }

    /// The names of the sections in their order. A result without sections has one empty name.
    public var sectionNames: [String] { state.sections.map(\.name) }
    /// The number of objects in all sections.
    public var numberOfObjects: Int { state.count }
    /// The object IDs of all sections in their order.
    public var objectIDs: FetchedObjectIDs {
        FetchedObjectIDs(.tracked(state), origin, 0..<state.count)
    }

    /// Returns the object IDs of a section in their order; none if there is no such section.
    public func objectIDs(inSection index: Int) -> FetchedObjectIDs {
        guard state.sections.indices.contains(index) else {
            return FetchedObjectIDs(.tracked(state), origin, 0..<0)
        }
        let start = state.sections.weight(before: index)
        return FetchedObjectIDs(
            .tracked(state), origin, start..<start + state.sections[index].count)
    }
}

@available(*, unavailable)
extension FetchedResultsSnapshot: Sendable {}
