/// The reduction of crossings between lines, by the order of the vertices in each layer.
///
/// Each sweep sorts the layers, one after the other, by the means of the neighbours' positions.
/// Then neighbours change places while that removes a crossing. The best order of all sweeps is
/// kept.
///
/// Source: Sugiyama, Tagawa, Toda, "Methods for Visual Understanding of Hierarchical System
/// Structures", IEEE Transactions on Systems, Man, and Cybernetics 11(2), 1981; the exchange of
/// neighbours is from Gansner et al., "A Technique for Drawing Directed Graphs", 1993.
struct CrossingReduction {
    private var graph: LayeredGraph
    private var positions: [Int]

    private static let sweepCount = 16

    /// Returns the graph with fewer crossings.
    static func reduced(_ graph: LayeredGraph) -> LayeredGraph {
        var reduction = CrossingReduction(graph)
        reduction.run()
        return reduction.graph
    }

    private init(_ graph: LayeredGraph) {
        self.graph = graph
        positions = Array(repeating: 0, count: graph.vertices.count)
        for layer in graph.order.indices { renumber(layer) }
    }

    private mutating func run() {
        var best = (count: Self.crossings(in: graph), order: graph.order)
        for sweep in 0..<Self.sweepCount where best.count > 0 {
            let isDownward = sweep.isMultiple(of: 2)
            let layers = graph.order.indices
            for layer in isDownward ? Array(layers) : layers.reversed() {
                sort(layer, byAbove: isDownward)
            }
            exchange()
            let count = Self.crossings(in: graph)
            if count < best.count { best = (count, graph.order) }
        }
        graph.order = best.order
    }

    private mutating func renumber(_ layer: Int) {
        for (position, vertex) in graph.order[layer].enumerated() { positions[vertex] = position }
    }

    private mutating func sort(_ layer: Int, byAbove: Bool) {
        let keys = graph.order[layer].map { vertex in
            let neighbours = byAbove ? graph.vertices[vertex].above : graph.vertices[vertex].below
            guard !neighbours.isEmpty else { return Double(positions[vertex]) }
            let sum = neighbours.reduce(0) { $0 + positions[$1] }
            return Double(sum) / Double(neighbours.count)
        }
        let sorted = graph.order[layer].indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
        graph.order[layer] = sorted.map { graph.order[layer][$0] }
        renumber(layer)
    }

    /// Exchanges neighbours if their lines then cross less, until no exchange helps.
    private mutating func exchange() {
        var isBetter = true
        var rounds = 0
        while isBetter, rounds < 8 {
            isBetter = false
            rounds += 1
            for layer in graph.order.indices {
                for place in graph.order[layer].indices.dropLast() {
                    let (left, right) = (
                        graph.order[layer][place], graph.order[layer][place + 1]
                    )
                    guard crossings(left, right) > crossings(right, left) else { continue }
                    graph.order[layer].swapAt(place, place + 1)
                    positions[left] = place + 1
                    positions[right] = place
                    isBetter = true
                }
            }
        }
    }

    /// The crossings between the lines of two vertices, the first of which is on the left.
    private func crossings(_ left: Int, _ right: Int) -> Int {
        func count(_ lefts: [Int], _ rights: [Int]) -> Int {
            lefts.reduce(0) { sum, left in
                sum + rights.count { positions[$0] < positions[left] }
            }
        }
        let (left, right) = (graph.vertices[left], graph.vertices[right])
        return count(left.above, right.above) + count(left.below, right.below)
    }

    /// The number of crossings between all lines.
    static func crossings(in graph: LayeredGraph) -> Int {
        var positions = Array(repeating: 0, count: graph.vertices.count)
        for layer in graph.order {
            for (position, vertex) in layer.enumerated() { positions[vertex] = position }
        }
        return graph.order.reduce(0) { sum, layer in
            let ends = layer.flatMap { vertex in
                graph.vertices[vertex].below.map { positions[$0] }.sorted()
            }
            return sum + inversions(ends)
        }
    }

    /// The pairs that are in the wrong order, counted while merging sorted halves.
    private static func inversions(_ numbers: [Int]) -> Int {
        var numbers = numbers
        var count = 0
        var width = 1
        while width < numbers.count {
            var merged: [Int] = []
            merged.reserveCapacity(numbers.count)
            for start in stride(from: 0, to: numbers.count, by: 2 * width) {
                let middle = min(start + width, numbers.count)
                let end = min(start + 2 * width, numbers.count)
                var (left, right) = (start, middle)
                while left < middle || right < end {
                    if right == end || left < middle && numbers[left] <= numbers[right] {
                        merged.append(numbers[left])
                        left += 1
                    } else {
                        merged.append(numbers[right])
                        count += middle - left
                        right += 1
                    }
                }
            }
            numbers = merged
            width *= 2
        }
        return count
    }
}
