import AnabranchModel
import AnabranchStore

/// The list of one owner in the order that an app gave it. It must have this order right after the
/// save.
struct WantedList {
    let relationship: RelationshipDescription
    let owner: LocalID
    let order: [LocalID]

    /// Checks the stored list.
    ///
    /// - Parameter renamed: Records to which the save gave other IDs.
    func check(in replica: SimulatedReplica, renamed: [LocalID: LocalID]) throws {
        let wanted = order.map { renamed[$0] ?? $0 }
        let shown = try replica.related(by: relationship, of: [owner]).map(\.id)
        guard shown != wanted else { return }
        throw SimulationFailure(
            "\(replica.path) shows the \(relationship) \(shown) right behind a save of \(wanted)")
    }
}
