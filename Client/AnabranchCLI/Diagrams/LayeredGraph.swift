/// A graph in layers in which edges join neighbouring layers only.
///
/// An edge over several layers has a *bend* in each layer between: a vertex without a box, which
/// keeps room for the line.
struct LayeredGraph {
    struct Vertex {
        let layer: Int
        /// The width that the vertex needs in its layer.
        let width: Double
        /// The box; `nil` for a bend.
        let box: Int?
        /// The vertices of the next layer above, and of the next one below, once for each edge.
        var above: [Int] = []
        var below: [Int] = []
    }

    private(set) var vertices: [Vertex] = []
    /// The vertices of each layer from left to right.
    var order: [[Int]]
    /// The vertices of each edge from its upper box to its lower one.
    private(set) var chains: [[Int]] = []

    /// Makes a graph; the first vertices are the boxes.
    init(_ assignment: LayerAssignment, widths: [Double]) {
        order = Array(repeating: [], count: (assignment.layers.max() ?? 0) + 1)
        for (box, layer) in assignment.layers.enumerated() {
            vertices.append(Vertex(layer: layer, width: widths[box], box: box))
        }
        for edge in assignment.edges {
            var chain = [edge.upper]
            let between = vertices[edge.upper].layer + 1..<vertices[edge.lower].layer
            for layer in between {
                chain.append(vertices.count)
                vertices.append(Vertex(layer: layer, width: 0, box: nil))
            }
            chain.append(edge.lower)
            for (upper, lower) in zip(chain, chain.dropFirst()) {
                vertices[upper].below.append(lower)
                vertices[lower].above.append(upper)
            }
            chains.append(chain)
        }
        placeByDepth()
    }

    /// Orders the layers as a walk from the top meets their vertices, so that a tree has no
    /// crossing.
    private mutating func placeByDepth() {
        var isPlaced = Array(repeating: false, count: vertices.count)
        let starts = vertices.indices.sorted { vertices[$0].layer < vertices[$1].layer }
        for start in starts where !isPlaced[start] {
            var pending = [start]
            while let vertex = pending.popLast() {
                if isPlaced[vertex] { continue }
                isPlaced[vertex] = true
                order[vertices[vertex].layer].append(vertex)
                pending += vertices[vertex].below.reversed()
            }
        }
    }

    /// The least distance between the centres of two neighbours in a layer.
    func distance(_ left: Int, _ right: Int) -> Double {
        let areBoxes = vertices[left].box != nil && vertices[right].box != nil
        return (vertices[left].width + vertices[right].width) / 2 + (areBoxes ? 36 : 20)
    }
}
