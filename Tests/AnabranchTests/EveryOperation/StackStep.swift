/// The three contexts of a history.
enum Place: String, CaseIterable {
    /// The context on the store, with an undo stack.
    case main
    /// The child of the main context.
    case child
    /// The other context on the store.
    case other
}

/// One step of a history. Objects have keys, so that a step means the same, or nothing, if other
/// steps are removed.
enum StackStep {
    case insert(Place, Int, isTag: Bool)
    case set(Place, SnapshotCell, Int?)
    case point(Place, SnapshotCell, Int?)
    /// Inserts the object into the owner's to-many or removes it from there.
    case take(Place, owner: Int, SnapshotCell, isIn: Bool)
    case link(Place, SnapshotLink, fromRight: Bool, isIn: Bool)
    case delete(Place, Int)
    case endEvent
    case undo
    case redo
    case save(Place)
    case rollback(Place)
    case refresh(Place, Int, merging: Bool)
    case refreshAll(Place)
}

extension StackStep: CustomStringConvertible {
    var description: String {
        switch self {
        case .insert(let place, let key, let isTag):
            "\(place): insert \(isTag ? "tag" : "node") \(key)"
        case .set(let place, let cell, let value):
            "\(place): \(cell.key).\(cell.name) = \(value.map(String.init) ?? "nil")"
        case .point(let place, let cell, let target):
            "\(place): \(cell.key).\(cell.name) = \(target.map { "node \($0)" } ?? "nil")"
        case .take(let place, let owner, let cell, let isIn):
            "\(place): \(owner).\(cell.name == "owner" ? "parts" : "reports")"
                + "\(isIn ? ".insert" : ".remove")(\(cell.key))"
        case .link(let place, let link, let fromRight, let isIn):
            "\(place): \(fromRight ? link.right : link.left)."
                + "\(fromRight && link.name == "tags" ? "nodes" : link.name) "
                + "\(isIn ? "+=" : "-=") \(fromRight ? link.left : link.right)"
        case .delete(let place, let key): "\(place): delete \(key)"
        case .endEvent: "main: end of event"
        case .undo: "main: undo"
        case .redo: "main: redo"
        case .save(let place): "\(place): save"
        case .rollback(let place): "\(place): rollback"
        case .refresh(let place, let key, let merging):
            "\(place): refresh \(key)\(merging ? ", merging" : ", dropping its changes")"
        case .refreshAll(let place): "\(place): refresh all"
        }
    }
}
