/// The assignment of the vertices of a graph to layers, so that every edge leads downwards.
///
/// Edges are taken in their order. One that would close a cycle is turned round, so the first edges
/// keep their direction. A layer has a greatest number of vertices, which bounds the width.
///
/// Source: Coffman and Graham, "Optimal scheduling for two-processor systems", Acta Informatica
/// 1(3), 1972, for the bounded layers.
struct LayerAssignment {
    /// The edges as (upper, lower), in the given order.
    private(set) var edges: [(upper: Int, lower: Int)] = []
    /// The layer of each vertex; 0 is the top.
    private(set) var layers: [Int]
    private var successors: [[Int]]
    private var predecessors: [[Int]]

    /// Assigns vertices to layers.
    ///
    /// - Parameters:
    ///   - edges: Edges between different vertices.
    ///   - width: The greatest number of vertices in a layer, at least 1.
    init(vertexCount: Int, edges: [(upper: Int, lower: Int)], width: Int) {
        layers = Array(repeating: 0, count: vertexCount)
        successors = Array(repeating: [], count: vertexCount)
        predecessors = successors
        for edge in edges {
            let isTurned = reaches(edge.upper, from: edge.lower)
            let edge = isTurned ? (upper: edge.lower, lower: edge.upper) : edge
            self.edges.append(edge)
            successors[edge.upper].append(edge.lower)
            predecessors[edge.lower].append(edge.upper)
        }
        let order = topologicalOrder()
        var counts: [Int] = []
        for vertex in order { place(vertex, atMost: width, counts: &counts) }
        for vertex in order.reversed() { lower(vertex, atMost: width, counts: &counts) }
    }

    private func reaches(_ goal: Int, from start: Int) -> Bool {
        var seen: Set<Int> = [start]
        var pending = [start]
        while let vertex = pending.popLast() {
            if vertex == goal { return true }
            for next in successors[vertex] where seen.insert(next).inserted {
                pending.append(next)
            }
        }
        return false
    }

    private func topologicalOrder() -> [Int] {
        var waiting = predecessors.map(\.count)
        var order = waiting.indices.filter { waiting[$0] == 0 }
        var next = 0
        while next < order.count {
            for successor in successors[order[next]] {
                waiting[successor] -= 1
                if waiting[successor] == 0 { order.append(successor) }
            }
            next += 1
        }
        return order
    }

    private mutating func place(_ vertex: Int, atMost width: Int, counts: inout [Int]) {
        var layer = predecessors[vertex].map { layers[$0] + 1 }.max() ?? 0
        while layer < counts.count, counts[layer] >= width { layer += 1 }
        while counts.count <= layer { counts.append(0) }
        counts[layer] += 1
        layers[vertex] = layer
    }

    /// Moves a vertex with more edges below than above down to them, if there is room.
    private mutating func lower(_ vertex: Int, atMost width: Int, counts: inout [Int]) {
        guard successors[vertex].count > predecessors[vertex].count,
            let lowest = successors[vertex].map({ layers[$0] - 1 }).min()
        else { return }
        let layer = (layers[vertex]...max(lowest, layers[vertex])).last { layer in
            layer == layers[vertex] || counts[layer] < width
        }
        guard let layer, layer != layers[vertex] else { return }
        counts[layers[vertex]] -= 1
        counts[layer] += 1
        layers[vertex] = layer
    }
}
