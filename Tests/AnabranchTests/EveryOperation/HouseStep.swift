/// The three contexts of a history.
enum Place: String, CaseIterable {
    /// On the store, with an undo stack.
    case main
    /// Below that.
    case child
    /// On the store, too.
    case other
}

/// One step of a history. It names things by their keys, so that it means the same, or nothing,
/// where others are left out.
enum HouseStep {
    case insert(Place, Int, isTag: Bool)
    case set(Place, DumbCell, Int?)
    case point(Place, DumbCell, Int?)
    /// From the other side: puts the thing into, or takes it out of, the owner's to-many.
    case take(Place, owner: Int, DumbCell, isIn: Bool)
    case link(Place, DumbLink, fromRight: Bool, isIn: Bool)
    case delete(Place, Int)
    case endEvent
    case undo
    case redo
    case save(Place)
    case rollback(Place)
    case refresh(Place, Int, merging: Bool)
    case refreshAll(Place)
}

extension HouseStep: CustomStringConvertible {
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
