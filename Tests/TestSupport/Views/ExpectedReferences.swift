package import AnabranchReplication

/// What references must show, written down as plainly as possible: from the state alone, all of it,
/// each time anew.
package struct ExpectedReferences {
    private struct Edge {
        var target: RecordID
        var stamp: Stamp
    }

    /// By property, of each record the target that it shows.
    package private(set) var shown: [String: [RecordID: RecordID]] = [:]

    /// - Parameters:
    ///   - records: The whole state.
    ///   - exclusive: The properties of which a target has one holder at most.
    ///   - acyclic: The properties that must not go round in a circle.
    package init(
        of records: [CanonicalRecord], properties: [String], exclusive: Set<String>,
        acyclic: Set<String>
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
            if acyclic.contains(property) { Self.cutCycles(of: &edges) }
            shown[property] = edges.mapValues(\.target).filter { held.contains($0.value) }
        }
    }

    /// Of two edges the one with the greater stamp counts as later, of equal stamps the one of the
    /// smaller identity.
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

    /// Whether what is shown, with one reference changed, goes round in a circle.
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
