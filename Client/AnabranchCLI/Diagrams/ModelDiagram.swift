import Anabranch

/// The drawing of a model: boxes for its entities, and lines for relationships and inheritance.
///
/// Entities that no line connects are drawn beside each other. Equal models give equal drawings.
struct ModelDiagram {
    typealias Frame = ComponentLayout.Frame
    typealias Station = ComponentLayout.Station

    struct Line {
        let line: DiagramLine
        /// True if the stations begin at the line's lower end.
        let isTurned: Bool
        /// The way of the line; empty for a loop at one box.
        let stations: [Station]
    }

    /// A relationship of an entity to itself, drawn at the right side of its box.
    struct Loop {
        let line: DiagramLine
        /// The place among the loops of the box, from 0.
        let place: Int
    }

    let boxes: [DiagramBox]
    /// The place of each box.
    private(set) var frames: [Frame]
    private(set) var lines: [Line] = []
    private(set) var loops: [Loop] = []
    private(set) var width = 0.0
    private(set) var height = 0.0

    static let margin = 24.0
    private static let componentGap = 48.0
    /// The reach of the first loop to the right of its box, and of each further one beyond it.
    static let loopReach = 36.0
    static let loopStep = 14.0

    init(_ model: ManagedObjectModel) {
        boxes = model.entities.map { DiagramBox($0) }
        frames = boxes.map { Frame(x: 0, y: 0, width: $0.width, height: $0.height) }
        let all = DiagramLine.all(of: model)
        var loopCounts = Array(repeating: 0, count: boxes.count)
        for line in all where line.isLoop {
            loops.append(Loop(line: line, place: loopCounts[line.upper]))
            loopCounts[line.upper] += 1
        }
        let rooms = loopCounts.map { count in
            count == 0 ? 0 : Self.loopReach + Double(count) * Self.loopStep
        }
        layOut(all.filter { !$0.isLoop }, rooms: rooms)
    }

    private mutating func layOut(_ lines: [DiagramLine], rooms: [Double]) {
        let components = Self.components(of: boxes.count, lines: lines)
        let layouts = components.map { component in
            let places = Dictionary(
                uniqueKeysWithValues: component.boxes.enumerated().map { ($1, $0) })
            return ComponentLayout(
                boxes: component.boxes.map { (boxes[$0].width, boxes[$0].height, rooms[$0]) },
                lines: component.lines.compactMap { line in
                    guard let upper = places[lines[line].upper],
                        let lower = places[lines[line].lower]
                    else { return nil }
                    return (upper, lower)
                })
        }
        let corners = pack(layouts)
        for (place, layout) in layouts.enumerated() {
            let (component, corner) = (components[place], corners[place])
            for (box, frame) in zip(component.boxes, layout.frames) {
                frames[box] = Frame(
                    x: frame.x + corner.x, y: frame.y + corner.y, width: frame.width,
                    height: frame.height)
            }
            for route in layout.routes {
                let stations = route.stations.map { station in
                    Station(
                        x: station.x + corner.x, top: station.top + corner.y,
                        bottom: station.bottom + corner.y)
                }
                self.lines.append(
                    Line(
                        line: lines[component.lines[route.line]], isTurned: route.isTurned,
                        stations: stations))
            }
        }
    }

    /// The boxes that lines connect, with the positions of these lines, by their first boxes.
    private static func components(
        of count: Int, lines: [DiagramLine]
    ) -> [(boxes: [Int], lines: [Int])] {
        var parents = Array(0..<count)
        func root(_ box: Int) -> Int {
            var box = box
            while parents[box] != box { box = parents[box] }
            return box
        }
        for line in lines {
            let (left, right) = (root(line.upper), root(line.lower))
            parents[max(left, right)] = min(left, right)
        }
        var components: [Int: (boxes: [Int], lines: [Int])] = [:]
        for box in 0..<count { components[root(box), default: ([], [])].boxes.append(box) }
        for (place, line) in lines.enumerated() {
            components[root(line.upper)]?.lines.append(place)
        }
        return components.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Places the components in rows, the tallest first.
    ///
    /// - Returns: The upper left corner of each.
    private mutating func pack(_ layouts: [ComponentLayout]) -> [(x: Double, y: Double)] {
        let area = layouts.reduce(0) {
            $0 + ($1.width + Self.componentGap) * ($1.height + Self.componentGap)
        }
        let rowWidth = max(layouts.map(\.width).max() ?? 0, (area * 1.6).squareRoot())
        var corners = layouts.map { _ in (x: 0.0, y: 0.0) }
        var (x, y, rowHeight) = (0.0, 0.0, 0.0)
        let order = layouts.indices.sorted {
            (-layouts[$0].height, $0) < (-layouts[$1].height, $1)
        }
        for place in order {
            if x > 0, x + layouts[place].width > rowWidth {
                (x, y, rowHeight) = (0, y + rowHeight + Self.componentGap, 0)
            }
            corners[place] = (Self.margin + x, Self.margin + y)
            x += layouts[place].width + Self.componentGap
            rowHeight = max(rowHeight, layouts[place].height)
            width = max(width, x - Self.componentGap + 2 * Self.margin)
        }
        height = y + rowHeight + 2 * Self.margin
        return corners
    }
}
