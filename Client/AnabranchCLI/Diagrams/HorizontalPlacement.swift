/// The horizontal places of the vertices: near their neighbours, in the order of their layer.
///
/// Each pass takes one layer after the other and places its vertices as close as possible to the
/// means of their neighbours. Long lines weigh most, so that they are straight.
struct HorizontalPlacement {
    private let graph: LayeredGraph
    private var centers: [Double]

    private static let passCount = 12

    /// Returns the centre of each vertex.
    static func centers(in graph: LayeredGraph) -> [Double] {
        var placement = HorizontalPlacement(graph)
        placement.run()
        return placement.centers
    }

    private init(_ graph: LayeredGraph) {
        self.graph = graph
        centers = Array(repeating: 0, count: graph.vertices.count)
        for layer in graph.order {
            var center = 0.0
            for (place, vertex) in layer.enumerated() {
                if place > 0 { center += graph.distance(layer[place - 1], vertex) }
                centers[vertex] = center
            }
            for vertex in layer { centers[vertex] -= center / 2 }
        }
    }

    private mutating func run() {
        for pass in 0..<Self.passCount {
            let isDownward = pass.isMultiple(of: 2)
            let layers = graph.order.indices
            for layer in isDownward ? Array(layers) : layers.reversed() {
                place(graph.order[layer], byAbove: isDownward, byBelow: !isDownward)
            }
        }
        for layer in graph.order { place(layer, byAbove: true, byBelow: true) }
    }

    private mutating func place(_ layer: [Int], byAbove: Bool, byBelow: Bool) {
        var offsets: [Double] = []
        var wanted: [IsotonicRegression.Point] = []
        for (place, vertex) in layer.enumerated() {
            let offset =
                place == 0 ? 0 : offsets[place - 1] + graph.distance(layer[place - 1], vertex)
            offsets.append(offset)
            let (mean, weight) = wish(of: vertex, byAbove: byAbove, byBelow: byBelow)
            wanted.append(.init(value: mean - offset, weight: weight))
        }
        let places = IsotonicRegression.solve(wanted)
        for (place, vertex) in layer.enumerated() {
            centers[vertex] = places[place] + offsets[place]
        }
    }

    /// The weighted mean of the neighbours' centres; the present centre without neighbours.
    private func wish(
        of index: Int, byAbove: Bool, byBelow: Bool
    ) -> (mean: Double, weight: Double) {
        let vertex = graph.vertices[index]
        let neighbours = (byAbove ? vertex.above : []) + (byBelow ? vertex.below : [])
        var (sum, weight) = (0.0, 0.0)
        for neighbour in neighbours {
            let bends = [vertex.box, graph.vertices[neighbour].box].count { $0 == nil }
            let own = [1.0, 2.0, 8.0][bends]
            sum += centers[neighbour] * own
            weight += own
        }
        return weight == 0 ? (centers[index], 0.1) : (sum / weight, weight)
    }
}

/// The ascending numbers that are closest to given ones, by the sum of weighted squares.
///
/// Source: Barlow et al., "Statistical Inference under Order Restrictions", 1972: pool adjacent
/// violators.
enum IsotonicRegression {
    struct Point {
        var value: Double
        var weight: Double
    }

    static func solve(_ points: [Point]) -> [Double] {
        var pools: [(point: Point, count: Int)] = []
        for point in points {
            pools.append((point, 1))
            while pools.count > 1,
                pools[pools.count - 2].point.value > pools[pools.count - 1].point.value
            {
                let last = pools.removeLast()
                let former = pools.removeLast()
                let weight = former.point.weight + last.point.weight
                let value =
                    (former.point.value * former.point.weight
                        + last.point.value * last.point.weight) / weight
                pools.append((Point(value: value, weight: weight), former.count + last.count))
            }
        }
        return pools.flatMap { Array(repeating: $0.point.value, count: $0.count) }
    }
}
