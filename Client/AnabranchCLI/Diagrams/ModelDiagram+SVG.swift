extension ModelDiagram {
    /// The drawing as a whole SVG file, in the colours that the reader of the file prefers.
    ///
    /// - Parameter title: The name of the drawing for people that hear it.
    func svg(title: String) -> String {
        let legend = Legend()
        let (width, height) = (max(self.width, legend.width), self.height + legend.height)
        var root = SVGElement(
            "svg",
            [
                "xmlns": "http://www.w3.org/2000/svg", "width": SVGElement.number(width),
                "height": SVGElement.number(height),
                "viewBox": "0 0 \(SVGElement.number(width)) \(SVGElement.number(height))",
                "role": "img", "aria-labelledby": "title",
            ])
        root.children = [
            SVGElement("title", ["id": "title"], text: title),
            SVGElement("style", text: Self.style, keepsLines: true), Self.markers,
            SVGElement("rect", ["class": "paper", "width": "100%", "height": "100%"]),
        ]
        root.children += lines.map(element)
        root.children += boxes.indices.map(element)
        root.children += loops.map(element)
        root.children.append(legend.element(y: self.height))
        var output = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        root.write(to: &output)
        return output
    }

    // MARK: - Boxes

    private func element(_ index: Int) -> SVGElement {
        let (box, frame) = (boxes[index], frames[index])
        var group = SVGElement("g", ["class": "entity"])
        group.set("data-entity", box.name)
        var rectangle = SVGElement("rect", ["class": "box"])
        rectangle.set("x", SVGElement.number(frame.x))
        rectangle.set("y", SVGElement.number(frame.y))
        rectangle.set("width", SVGElement.number(frame.width))
        rectangle.set("height", SVGElement.number(frame.height))
        rectangle.set("rx", "6")
        group.children = [rectangle]
        let name = SVGElement(
            "text",
            [
                "class": box.isAbstract ? "name abstract" : "name",
                "x": SVGElement.number(frame.x + frame.width / 2),
                "y": SVGElement.number(frame.y + 19), "text-anchor": "middle",
            ], text: box.name)
        group.children.append(name)
        var top = frame.y + DiagramBox.headHeight
        for rows in [box.attributes, box.relationships] where !rows.isEmpty {
            group.children += part(rows, frame: frame, top: top)
            top += DiagramBox.height(of: rows.count)
        }
        return group
    }

    private func part(_ rows: [DiagramBox.Row], frame: Frame, top: Double) -> [SVGElement] {
        let rule = SVGElement(
            "path",
            [
                "class": "rule",
                "d": "M\(point(frame.x, top))H\(SVGElement.number(frame.x + frame.width))",
            ])
        let texts = rows.enumerated().map { place, row in
            let y = top + DiagramBox.rowMargin + Double(place) * DiagramBox.rowHeight + 13
            return SVGElement(
                "text",
                [
                    "class": "property", "data-property": row.path,
                    "x": SVGElement.number(frame.x + DiagramBox.textMargin),
                    "y": SVGElement.number(y),
                ], text: row.text)
        }
        return [rule] + texts
    }

    // MARK: - Lines

    private static let stub = 18.0

    private func element(_ line: Line) -> SVGElement {
        let stations = line.stations
        guard let first = stations.first else { return SVGElement("g") }
        var path = "M\(point(first.x, first.top))"
        for (upper, lower) in zip(stations, stations.dropFirst()) {
            // The stubs at the boxes are straight, so that the arrow heads are.
            let start = upper.bottom + Self.stub
            let end = lower.top - Self.stub
            let middle = (start + end) / 2
            path += "V\(SVGElement.number(start))C\(point(upper.x, middle)) "
            path += "\(point(lower.x, middle)) \(point(lower.x, end))"
        }
        if let last = stations.last { path += "V\(SVGElement.number(last.bottom))" }
        let heads = [line.line.upperHead, line.line.lowerHead]
        return element(
            line.line, path: path, start: heads[line.isTurned ? 1 : 0],
            end: heads[line.isTurned ? 0 : 1])
    }

    private func element(_ loop: Loop) -> SVGElement {
        let frame = frames[loop.line.upper]
        let right = frame.x + frame.width
        let reach = right + Self.loopReach + Double(loop.place) * Self.loopStep
        let middle = frame.y + frame.height / 2
        let half = 10 + 7 * Double(loop.place)
        let stub = SVGElement.number(right + Self.stub)
        let path =
            "M\(point(right, middle - half))H\(stub)"
            + "C\(point(reach, middle - half)) \(point(reach, middle + half)) "
            + "\(stub) \(SVGElement.number(middle + half))H\(SVGElement.number(right))"
        return element(
            loop.line, path: path, start: loop.line.upperHead, end: loop.line.lowerHead)
    }

    private func element(
        _ line: DiagramLine, path: String, start: DiagramLine.Head?, end: DiagramLine.Head?
    ) -> SVGElement {
        var group = SVGElement("g", ["class": line.isInheritance ? "inheritance" : "relationship"])
        var shape = SVGElement("path", ["class": "line", "d": path])
        shape.set("marker-start", start.map { "url(#\($0.rawValue))" })
        shape.set("marker-end", end.map { "url(#\($0.rawValue))" })
        group.children = [SVGElement("title", text: line.title), shape]
        return group
    }

    private func point(_ x: Double, _ y: Double) -> String {
        "\(SVGElement.number(x)) \(SVGElement.number(y))"
    }
}
