package import AnabranchReplication

/// The reference model of the view rules for references.
///
/// It is written as plainly as possible, and computes everything from the state each time.
package struct ExpectedReferences {
    private struct Edge {
        var target: RecordID
        var stamp: Stamp
    }

    /// The visible target of each record, by property.
    package private(set) var shown: [String: [RecordID: RecordID]] = [:]

    /// - Parameters:
    ///   - records: The whole state.
    ///   - exclusive: The properties by which at most one record points to a target.
    ///   - mutual: The properties by which two records refer to each other, or neither does.
    ///   - acyclic: The properties that must not form a cycle.
    package init(
        of records: [CanonicalRecord], properties: [String], exclusive: Set<String>,
        mutual: Set<String> = [], acyclic: Set<String>
    ) {
        let living = records.filter { !$0.isDead }
        let held = Set(living.map(\.id))
        for property in properties {
            var edges: [RecordID: Edge] = [:]
            for record in living {
                for cell in record.cells where cell.property.name.string == property {
                    guard case .reference(let target) = cell.value else { continue }
                    edges[record.id] = Edge(target: target, stamp: cell.stamp)
                }
            }
            if exclusive.contains(property) { Self.keepOneHolder(of: &edges) }
            if mutual.contains(property) {
                let all = edges
                edges = all.filter { id, edge in all[edge.target]?.target == id }
            }
            if acyclic.contains(property) { Self.cutCycles(of: &edges) }
            shown[property] = edges.mapValues(\.target).filter { held.contains($0.value) }
        }
    }

    /// Returns whether the left edge is later: the one with the greater stamp, and of equal stamps
    /// the one of the smaller ID.
    private static func isLater(
        _ left: RecordID, than right: RecordID, _ edges: [RecordID: Edge]
    ) -> Bool {
        guard let one = edges[left], let other = edges[right] else { return false }
        return one.stamp == other.stamp ? left < right : other.stamp < one.stamp
    }

    private static func keepOneHolder(of edges: inout [RecordID: Edge]) {
        let all = edges
        edges = all.filter { id, edge in
            !all.contains { $0.value.target == edge.target && isLater($0.key, than: id, all) }
        }
    }

    private static func cutCycles(of edges: inout [RecordID: Edge]) {
        let all = edges
        for id in all.keys {
            let cycle = Self.cycle(through: id, all)
            if !cycle.isEmpty, cycle.allSatisfy({ $0 == id || isLater(id, than: $0, all) }) {
                edges[id] = nil
            }
        }
    }

    private static func cycle(through id: RecordID, _ edges: [RecordID: Edge]) -> [RecordID] {
        var path = [id]
        for _ in edges {
            guard let next = edges[path[path.count - 1]]?.target else { return [] }
            if next == id { return path }
            path.append(next)
        }
        return []
    }

    /// Returns whether the visible references, with one of them changed, form a cycle.
    package func isCyclic(setting property: String, of id: RecordID, to target: RecordID?) -> Bool {
        var edges = shown[property] ?? [:]
        if property == "next", let target { edges = edges.filter { $0.value != target } }
        edges[id] = target
        var next = id
        for _ in edges {
            guard let target = edges[next] else { return false }
            if target == id { return true }
            next = target
        }
        return false
    }
}
