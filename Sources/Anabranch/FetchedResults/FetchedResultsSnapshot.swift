import AnabranchStore

/// A whole result as it was at one moment: the names of its sections and the IDs of its objects.
///
/// Getting one costs nothing, whatever the number of objects: the IDs are looked up when they are
/// asked for. It is used on its context's queue; `Array(snapshot.objectIDs)` may go anywhere.
public struct FetchedResultsSnapshot {
    private let state: ResultsState
    private let origin: StoreOrigin
    /// Objects that stand where they stood in the snapshot before, with other values.
    public let updatedObjectIDs: [ManagedObjectID]

    init(_ state: ResultsState, _ origin: StoreOrigin, updated: [ManagedObjectID] = []) {
        self.state = state
        self.origin = origin
        updatedObjectIDs = updated
    }

    /// In their order; of a result without sections one that is empty text.
    public var sectionNames: [String] { state.sections.map(\.name) }
    public var numberOfObjects: Int { state.count }
    /// Of all sections, in their order.
    public var objectIDs: FetchedObjectIDs { FetchedObjectIDs(state, origin, 0..<state.count) }

    /// The objects of a section, in their order; none where there is no such section.
    public func objectIDs(inSection index: Int) -> FetchedObjectIDs {
        guard state.sections.indices.contains(index) else {
            return FetchedObjectIDs(state, origin, 0..<0)
        }
        let start = state.sections.weight(before: index)
        return FetchedObjectIDs(state, origin, start..<start + state.sections[index].count)
    }
}

@available(*, unavailable)
extension FetchedResultsSnapshot: Sendable {}
