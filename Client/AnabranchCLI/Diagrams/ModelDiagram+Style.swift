extension ModelDiagram {
    /// The colours for both schemes; a program that knows no schemes takes the light one.
    static let style = """

        text { font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; \
        fill: #1f2933 }
        .name { font-size: 13px; font-weight: 600 }
        .abstract { font-style: italic }
        .note { fill: #52606d }
        .paper { fill: #ffffff }
        .box { fill: #f0f4f8; stroke: #486581 }
        .rule { stroke: #bcccdc }
        .line { fill: none; stroke: #2f6fb0; stroke-width: 1.5 }
        .inheritance .line { stroke: #627d98 }
        .tip { fill: #2f6fb0 }
        .hollow { fill: #ffffff; stroke: #627d98 }
        @media (prefers-color-scheme: dark) {
          text { fill: #e4e7eb }
          .note { fill: #9aa5b1 }
          .paper { fill: #14181d }
          .box { fill: #232a32; stroke: #829ab1 }
          .rule { stroke: #3e4c59 }
          .line { stroke: #6cb0ee }
          .inheritance .line { stroke: #9fb3c8 }
          .tip { fill: #6cb0ee }
          .hollow { fill: #14181d; stroke: #9fb3c8 }
        }

        """

    /// The arrow heads: one tip for one object, two for any number, a hollow one for inheritance.
    static var markers: SVGElement {
        func marker(_ head: DiagramLine.Head, width: Int, shape: SVGElement) -> SVGElement {
            var marker = SVGElement(
                "marker",
                [
                    "id": head.rawValue, "viewBox": "-1 -1 \(width + 2) 12",
                    "refX": "\(width)", "refY": "5", "markerWidth": "\(width + 2)",
                    "markerHeight": "12", "markerUnits": "userSpaceOnUse",
                    "orient": "auto-start-reverse",
                ])
            marker.children = [shape]
            return marker
        }
        var definitions = SVGElement("defs")
        definitions.children = [
            marker(
                .one, width: 9, shape: SVGElement("path", ["class": "tip", "d": "M0 0 9 5 0 10Z"])),
            marker(
                .many, width: 17,
                shape: SVGElement(
                    "path", ["class": "tip", "d": "M0 0 9 5 0 10ZM8 0 17 5 8 10Z"])),
            marker(
                .parent, width: 12,
                shape: SVGElement("path", ["class": "hollow", "d": "M0 0 12 5 0 10Z"])),
        ]
        return definitions
    }
}

/// The explanation of the lines below a diagram.
struct Legend {
    private static let entries: [(head: DiagramLine.Head, text: String)] = [
        (.one, "to one object"), (.many, "to many objects"), (.parent, "inherits from"),
    ]
    private static let entryWidth = 180.0

    var width: Double { Self.entryWidth * Double(Self.entries.count) + 2 * ModelDiagram.margin }
    var height: Double { 40 }

    func element(y: Double) -> SVGElement {
        var group = SVGElement("g", ["class": "legend"])
        for (place, entry) in Self.entries.enumerated() {
            let x = ModelDiagram.margin + Double(place) * Self.entryWidth
            var line = SVGElement("g")
            line.set("class", entry.head == .parent ? "inheritance" : nil)
            line.children = [
                SVGElement(
                    "path",
                    [
                        "class": "line",
                        "d": "M\(SVGElement.number(x)) \(SVGElement.number(y + 12))h36",
                        "marker-end": "url(#\(entry.head.rawValue))",
                    ])
            ]
            let text = SVGElement(
                "text",
                [
                    "class": "note", "x": SVGElement.number(x + 44),
                    "y": SVGElement.number(y + 16),
                ], text: entry.text)
            group.children += [line, text]
        }
        return group
    }
}
