/// The drawing of boxes that lines connect: a place for each box, and a route for each line.
///
/// The boxes stand in layers. Lines run from layer to layer, beside the boxes of the layers between
/// them, so no line crosses a box.
struct ComponentLayout {
    /// One step of a line: straight down a layer, then in a curve to the next one.
    struct Station {
        let x: Double
        let top: Double
        let bottom: Double
    }

    struct Route {
        /// The place of the line in the component's list.
        let line: Int
        /// True if the line's lower end is above its upper end.
        let isTurned: Bool
        let stations: [Station]
    }

    struct Frame: Hashable {
        var x: Double
        var y: Double
        let width: Double
        let height: Double
    }

    private(set) var frames: [Frame] = []
    private(set) var routes: [Route] = []
    private(set) var width = 0.0
    private(set) var height = 0.0

    private static let layerGap = 80.0
    /// The least distance between two ends of lines on one side of a box.
    private static let portDistance = 16.0

    /// Lays out boxes.
    ///
    /// - Parameters:
    ///   - boxes: The sizes of the boxes; `room` is kept free to the right of each.
    ///   - lines: The boxes that each line connects; a line does not begin and end at one box.
    init(
        boxes: [(width: Double, height: Double, room: Double)],
        lines: [(upper: Int, lower: Int)]
    ) {
        let layerWidth = max(2, Int((Double(boxes.count) * 1.6).squareRoot().rounded(.up)))
        let assignment = LayerAssignment(
            vertexCount: boxes.count, edges: lines, width: layerWidth)
        let widths = Self.widths(of: boxes.map(\.width), lines: assignment.edges)
        // The room is kept on both sides, so that lines from box to box are straight.
        let plain = LayeredGraph(
            assignment, widths: zip(widths, boxes).map { $0 + 2 * $1.room })
        let graph = CrossingReduction.reduced(plain)
        let centers = HorizontalPlacement.centers(in: graph)
        func half(_ vertex: Int) -> Double {
            graph.vertices[vertex].box.map { widths[$0] / 2 } ?? 0
        }
        func room(_ vertex: Int) -> Double {
            graph.vertices[vertex].box.map { boxes[$0].room } ?? 0
        }
        let left = centers.indices.map { centers[$0] - half($0) }.min() ?? 0
        let right = centers.indices.map { centers[$0] + half($0) + room($0) }.max() ?? 0
        var rows: [(top: Double, bottom: Double)] = []
        for layer in graph.order {
            let top = rows.last.map { $0.bottom + Self.layerGap } ?? 0
            let tallest = layer.compactMap { graph.vertices[$0].box.map { boxes[$0].height } }.max()
            rows.append((top, top + (tallest ?? 0)))
        }
        frames = boxes.indices.map { box in
            Frame(
                x: centers[box] - widths[box] / 2 - left, y: rows[graph.vertices[box].layer].top,
                width: widths[box], height: boxes[box].height)
        }
        width = right - left
        height = rows.last?.bottom ?? 0
        let ports = Ports(graph, centers: centers, frames: frames)
        routes = graph.chains.enumerated().map { line, chain in
            let stations = chain.enumerated().map { step, vertex in
                station(
                    vertex, isFirst: step == 0, isLast: step == chain.count - 1, line: line,
                    graph: graph, x: centers[vertex] - left,
                    row: rows[graph.vertices[vertex].layer],
                    ports: ports)
            }
            return Route(
                line: line, isTurned: chain.first != lines[line].upper, stations: stations)
        }
    }

    /// The widths of the boxes, which have room for the ends of all their lines.
    private static func widths(
        of boxes: [Double], lines: [(upper: Int, lower: Int)]
    ) -> [Double] {
        var (below, above) = (
            Array(repeating: 0, count: boxes.count), Array(repeating: 0, count: boxes.count)
        )
        for line in lines {
            below[line.upper] += 1
            above[line.lower] += 1
        }
        return boxes.indices.map { box in
            max(boxes[box], Double(max(below[box], above[box]) + 1) * portDistance)
        }
    }

    private func station(
        _ vertex: Int, isFirst: Bool, isLast: Bool, line: Int, graph: LayeredGraph, x: Double,
        row: (top: Double, bottom: Double), ports: Ports
    ) -> Station {
        guard let box = graph.vertices[vertex].box else {
            return Station(x: x, top: row.top, bottom: row.bottom)
        }
        let frame = frames[box]
        if isFirst {
            return Station(
                x: ports.bottom[line] ?? x, top: frame.y + frame.height, bottom: row.bottom)
        }
        return Station(x: ports.top[line] ?? x, top: frame.y, bottom: frame.y)
    }
}

/// The places at which lines begin and end on the sides of the boxes.
///
/// The ends on one side have equal distances, in the order of the places that the lines run to.
private struct Ports {
    /// The place of each line on the lower side of its upper box.
    private(set) var bottom: [Int: Double] = [:]
    /// The place of each line on the upper side of its lower box.
    private(set) var top: [Int: Double] = [:]

    init(_ graph: LayeredGraph, centers: [Double], frames: [ComponentLayout.Frame]) {
        var (starts, ends): ([Int: [Int]], [Int: [Int]]) = ([:], [:])
        for (line, chain) in graph.chains.enumerated() {
            starts[chain[0], default: []].append(line)
            ends[chain[chain.count - 1], default: []].append(line)
        }
        for box in frames.indices {
            func spread(_ lines: [Int], by neighbour: (Int) -> Int) -> [(line: Int, x: Double)] {
                let sorted = lines.sorted {
                    (centers[neighbour($0)], $0) < (centers[neighbour($1)], $1)
                }
                return sorted.enumerated().map { place, line in
                    let part = Double(place + 1) / Double(lines.count + 1)
                    return (line, frames[box].x + frames[box].width * part)
                }
            }
            for (line, x) in spread(starts[box] ?? [], by: { graph.chains[$0][1] }) {
                bottom[line] = x
            }
            let last = { (line: Int) in graph.chains[line][graph.chains[line].count - 2] }
            for (line, x) in spread(ends[box] ?? [], by: last) { top[line] = x }
        }
    }
}
