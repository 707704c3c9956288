import AnabranchModel
import AnabranchStore

/// One owner's list as an app has put it in order: so it must stand right behind the save.
struct WantedList {
    let relationship: RelationshipDescription
    let owner: LocalID
    let order: [LocalID]

    /// - Parameter renamed: Records that the save has given other IDs.
    func check(in replica: SimulatedReplica, renamed: [LocalID: LocalID]) throws {
        let wanted = order.map { renamed[$0] ?? $0 }
        let shown = try replica.related(by: relationship, of: [owner]).map(\.id)
        guard shown != wanted else { return }
        throw SimulationFailure(
            "\(replica.path) shows the \(relationship) \(shown) right behind a save of \(wanted)")
    }
}
