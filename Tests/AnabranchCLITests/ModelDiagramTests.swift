import Anabranch
import Foundation
import TestSupport
import Testing

@testable import AnabranchCLI

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Tests of drawings, as layouts and as the files that the program writes.
struct ModelDiagramTests {
    // MARK: - Files

    @Test func `a drawing has every entity, property and relationship`() throws {
        let bench = try Workbench()
        let output = bench.folder.file("geo.svg")
        let run = try ToolRun(["model", "graph", bench.store, "--output", output])
        #expect(run.status == 0 && run.output.isEmpty, "\(run.errors)")
        let data = try Data(contentsOf: URL(filePath: output))
        let drawing = try Drawing(data)
        #expect(drawing.entities == ["City", "Country", "Street"])
        #expect(drawing.properties.count == 14)
        #expect(drawing.properties.contains("City.founded"))
        #expect(
            drawing.titles.dropFirst() == [
                "City.streets – Street.city", "Country.cities – City.country", "City.twins",
            ])
        #expect(
            drawing.texts.isSuperset(of: ["name: string", "cities: [City]", "country: Country?"]))
        let model = bench.folder.file("Geo.xcdatamodel")
        let printed = try ToolRun(["model", "graph", model])
        #expect(drawing.style == ModelDiagram.style)
        #expect(drawing.style.contains("prefers-color-scheme: dark"))
        #expect(
            printed.output.replacingOccurrences(of: "The model Geo", with: "The model a")
                == String(decoding: data, as: UTF8.self))
    }

    @Test func `a drawing that can't be written ends with 73`() throws {
        let bench = try Workbench(isMade: false)
        let run = try ToolRun([
            "model", "graph", bench.folder.file("Geo.xcdatamodel"), "--output",
            bench.folder.file("none/geo.svg"),
        ])
        #expect(run.status == 73)
    }

    @Test func `texts are escaped`() throws {
        let model = try ManagedObjectModel { Entity("Größe") { Attribute("名前", .string) } }
        let drawing = try Drawing(Data(ModelDiagram(model).svg(title: "<&\"\u{1}>").utf8))
        #expect(drawing.titles.first == "<&\"␁>")
        #expect(drawing.entities == ["Größe"] && drawing.properties == ["Größe.名前"])
    }

    // MARK: - Layouts

    @Test(arguments: TestLength.seeds(100))
    func `boxes never overlap, and lines cross no box`(seed: UInt64) throws {
        let model = try ManagedObjectModel(entities: Self.randomEntities(seed: seed))
        let diagram = ModelDiagram(model)
        expectReadable(diagram)
        #expect(diagram.svg(title: "") == ModelDiagram(model).svg(title: ""))
        let drawing = try Drawing(Data(diagram.svg(title: "").utf8))
        #expect(drawing.entities == model.entities.map(\.name))
        let ends = model.entities.flatMap { entity in
            entity.relationships.filter { $0.entity == entity }
        }
        let pairs = ends.count { $0.inverse != nil && $0.inverse != $0 }
        let inheritances = model.entities.count { $0.superentity != nil }
        #expect(drawing.titles.count - 1 == ends.count - pairs / 2 + inheritances)
    }

    @Test(.enabled(if: Fixtures.areAvailable, "there are no fixtures here"))
    func `every model of the fixtures has a readable drawing`() throws {
        let folder = try Fixtures.url("models")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var count = 0
        while let url = files?.nextObject() as? URL {
            guard url.pathExtension == "xcdatamodel",
                let model = try? ManagedObjectModel.reading(url)
            else { continue }
            let diagram = ModelDiagram(model)
            expectReadable(diagram)
            #expect(
                try Drawing(Data(diagram.svg(title: "").utf8)).entities.count
                    == model.entities.count)
            count += 1
        }
        #expect(count == 86)
    }

    @Test func `a chain of entities is drawn in layers without a crossing`() throws {
        let model = try ManagedObjectModel {
            Entity("A") { Relationship("b", toMany: "B", inverse: "a") }
            Entity("B") {
                Relationship("a", to: "A", inverse: "b")
                Relationship("c", toMany: "C", inverse: "b")
            }
            Entity("C") { Relationship("b", to: "B", inverse: "c") }
        }
        let frames = ModelDiagram(model).frames
        #expect(frames[0].y < frames[1].y && frames[1].y < frames[2].y)
    }

    @Test func `crossings are counted and removed`() {
        let edges = [(0, 4), (0, 5), (1, 3), (2, 3)].map { (upper: $0.0, lower: $0.1) }
        let assignment = LayerAssignment(vertexCount: 6, edges: edges, width: 3)
        var graph = LayeredGraph(assignment, widths: Array(repeating: 10, count: 6))
        graph.order = [[0, 1, 2], [3, 4, 5]]
        #expect(CrossingReduction.crossings(in: graph) == 4)
        #expect(CrossingReduction.crossings(in: CrossingReduction.reduced(graph)) == 0)
    }

    @Test func `a cycle is cut, and layers stay within their width`() {
        let edges = (0..<9).map { (upper: $0, lower: ($0 + 1) % 9) } + [(upper: 4, lower: 8)]
        let assignment = LayerAssignment(vertexCount: 9, edges: edges, width: 2)
        for edge in assignment.edges {
            #expect(assignment.layers[edge.upper] < assignment.layers[edge.lower])
        }
        let counts = Dictionary(grouping: assignment.layers, by: { $0 }).mapValues(\.count)
        #expect(counts.values.allSatisfy { $0 <= 2 })
    }

    private func expectReadable(_ diagram: ModelDiagram) {
        let frames = diagram.frames
        for (place, frame) in frames.enumerated() {
            #expect(frame.x >= 0 && frame.x + frame.width <= diagram.width)
            #expect(frame.y >= 0 && frame.y + frame.height <= diagram.height)
            for other in frames[(place + 1)...] {
                #expect(!overlap(frame, other), "\(frame) and \(other)")
            }
        }
        for loop in diagram.loops {
            let frame = frames[loop.line.upper]
            let reach = ModelDiagram.loopReach + Double(loop.place) * ModelDiagram.loopStep
            let room = ModelDiagram.Frame(
                x: frame.x + frame.width, y: frame.y, width: reach, height: frame.height)
            #expect(room.x + room.width <= diagram.width)
            #expect(!frames.contains { overlap($0, room) }, "\(loop.line.title)")
        }
        for line in diagram.lines {
            let ends = [line.line.upper, line.line.lower]
            for (place, frame) in frames.enumerated() {
                for station in line.stations where station.bottom > station.top {
                    let isInside =
                        station.x > frame.x && station.x < frame.x + frame.width
                        && station.top < frame.y + frame.height && station.bottom > frame.y
                    #expect(!isInside, "\(line.line.title) crosses \(diagram.boxes[place].name)")
                }
                for (upper, lower) in zip(line.stations, line.stations.dropFirst()) {
                    let isBetween =
                        upper.bottom < frame.y + frame.height && lower.top > frame.y
                        && max(upper.x, lower.x) > frame.x
                        && min(upper.x, lower.x) < frame.x + frame.width
                    #expect(!isBetween || ends.contains(place), "\(line.line.title)")
                }
            }
        }
    }

    private func overlap(_ left: ModelDiagram.Frame, _ right: ModelDiagram.Frame) -> Bool {
        left.x < right.x + right.width && right.x < left.x + left.width
            && left.y < right.y + right.height && right.y < left.y + left.height
    }

    private static func randomEntities(seed: UInt64) -> [Entity] {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...40, using: &random)
        var entities = (0..<count).map { place in
            var entity = Entity("E\(place)")
            if place > 0, random.oneIn(4) {
                entity.parent = "E\(Int.random(in: 0..<place, using: &random))"
            }
            for name in 0..<Int.random(in: 0...9, using: &random) {
                entity.attributes.append(Attribute("e\(place)a\(name)", .string))
            }
            return entity
        }
        for place in 0..<Int.random(in: 0...(count * 2), using: &random) {
            let left = Int.random(in: 0..<count, using: &random)
            let right = Int.random(in: 0..<count, using: &random)
            let inverse = random.oneIn(3) ? nil : "s\(place)"
            entities[left].relationships.append(
                Relationship("r\(place)", toMany: "E\(right)", inverse: inverse))
            guard let inverse else { continue }
            entities[right].relationships.append(
                Relationship(inverse, to: "E\(left)", inverse: "r\(place)"))
        }
        return entities
    }
}

/// The parts of an SVG file, read by an XML parser.
private final class Drawing: NSObject, XMLParserDelegate {
    private(set) var entities: [String] = []
    private(set) var properties: [String] = []
    private(set) var titles: [String] = []
    private(set) var texts: Set<String> = []
    private(set) var style = ""
    private var content = ""

    init(_ data: Data) throws {
        super.init()
        let parser = XMLParser(data: data)
        parser.delegate = self
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        content = ""
        if let entity = attributes["data-entity"] { entities.append(entity) }
        if let property = attributes["data-property"] { properties.append(property) }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { content += string }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        switch elementName {
        case "title": titles.append(content)
        case "text": texts.insert(content)
        case "style": style = content
        default: break
        }
        content = ""
    }
}
