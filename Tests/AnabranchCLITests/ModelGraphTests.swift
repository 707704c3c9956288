import Anabranch
import Foundation
import TestSupport
import Testing

@testable import AnabranchCLI

/// Tests of models as texts for Graphviz, and of their drawings.
struct ModelGraphTests {
    private static let areProgramsThere = FileManager.default.isExecutableFile(
        atPath: "/usr/bin/dot")

    @Test func `a graph has every entity, property and relationship`() throws {
        let bench = try Workbench()
        let run = try ToolRun(["model", "graph", bench.folder.file("Geo.xcdatamodel")])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.lines.first == "digraph \"The model Geo\" {" && run.lines.last == "}")
        #expect(run.lines.count { $0.contains("[label=") } == 3)
        #expect(run.output.count(of: "\\l") == 14)
        for text in [
            "name:\\ string\\l", "cities:\\ [City]\\l", "country:\\ Country?\\l",
            "\"City\" -> \"Street\" [dir=both, arrowtail=normal, arrowhead=normalnormal, "
                + "edgetooltip=\"City.streets – Street.city\"]",
            "\"Country\" -> \"City\" [dir=both, arrowtail=normal, arrowhead=normalnormal, "
                + "edgetooltip=\"Country.cities – City.country\"]",
            "\"City\" -> \"City\" [dir=both, arrowtail=normalnormal, arrowhead=normalnormal, "
                + "edgetooltip=\"City.twins\"]",
        ] {
            #expect(run.output.contains(text), "\(text)")
        }
        let output = bench.folder.file("geo.dot")
        let stored = try ToolRun(["model", "graph", bench.store, "--output", output])
        #expect(stored.status == 0 && stored.output.isEmpty, "\(stored.errors)")
        #expect(
            try String(contentsOfFile: output, encoding: .utf8)
                == run.output.replacingOccurrences(of: "The model Geo", with: "The model a"))
    }

    @Test func `a subentity points to its parent, and an abstract one is in parentheses`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Thing", isAbstract: true)
            EntityDeclaration("Book", parent: "Thing") { AttributeDeclaration("title", .string) }
        }
        let text = ModelGraph(model: model).dot(title: "")
        #expect(text.contains("label=\"{(Thing)}\""))
        #expect(
            text.contains(
                "\"Thing\" -> \"Book\" [dir=both, arrowtail=empty, arrowhead=none, "
                    + "edgetooltip=\"Book inherits from Thing\"]"))
    }

    @Test func `texts are escaped`() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Größe") { AttributeDeclaration("名前", .string) }
        }
        let text = ModelGraph(model: model).dot(title: "a\"b\\\u{1}")
        #expect(text.hasPrefix("digraph \"a\\\"b\\\\␁\" {"))
        #expect(text.contains("{Größe|名前:\\ string"))
    }

    @Test(.enabled(if: areProgramsThere, "Graphviz is not installed"))
    func `a file that ends in .svg is drawn`() throws {
        let bench = try Workbench(isMade: false)
        let output = bench.folder.file("geo.svg")
        let run = try ToolRun([
            "model", "graph", bench.folder.file("Geo.xcdatamodel"), "--output", output,
        ])
        #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run.errors)")
        let drawing = try String(contentsOfFile: output, encoding: .utf8)
        #expect(drawing.contains("</svg>") && drawing.contains("cities: [City]"))
        #expect(drawing.contains("City.streets – Street.city"))
    }

    @Test func `without Graphviz a drawing is refused with what to install`() throws {
        let bench = try Workbench(isMade: false)
        let run = try ToolRun(
            [
                "model", "graph", bench.folder.file("Geo.xcdatamodel"), "--output",
                bench.folder.file("geo.svg"),
            ], environment: ["PATH": bench.folder.path])
        #expect(run.status == 1)
        #expect(run.errors.contains("Install Graphviz"), "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: bench.folder.file("geo.svg")))
    }

    @Test func `a failure of Graphviz is reported`() throws {
        let bench = try Workbench(isMade: false)
        let program = bench.folder.file("dot")
        try Data("#!/bin/sh\necho broken >&2\nexit 3\n".utf8).write(to: URL(filePath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        let run = try ToolRun(
            [
                "model", "graph", bench.folder.file("Geo.xcdatamodel"), "--output",
                bench.folder.file("geo.svg"),
            ], environment: ["PATH": bench.folder.path])
        #expect(run.status == 1)
        #expect(run.errors.contains("broken") && run.errors.contains("dot failed"), "\(run.errors)")
    }

    @Test func `a graph that can't be written ends with 73`() throws {
        let bench = try Workbench(isMade: false)
        let run = try ToolRun([
            "model", "graph", bench.folder.file("Geo.xcdatamodel"), "--output",
            bench.folder.file("none/geo.dot"),
        ])
        #expect(run.status == 73)
    }
}

extension String {
    fileprivate func count(of part: String) -> Int { components(separatedBy: part).count - 1 }
}
