import Foundation
import Testing

@testable import AnabranchSync

/// The drawing of the session in Architecture.md has the ways that random walks take.
struct SessionDrawingTests {
    private static func walkedWays(isHonest: Bool, _ seeds: Range<UInt64>) -> Set<SessionWay> {
        var ways: Set<SessionWay> = []
        for seed in seeds {
            var walk = SessionWalk(seed: seed, isHonest: isHonest)
            for _ in 0..<3 { walk.walk(steps: 50) }
            ways.formUnion(walk.ways)
        }
        return ways
    }

    /// A zone or a store that answers anything at all must not trap the session.
    @Test func `contradictory answers lead to machines that follow each other in the drawing`()
        throws
    {
        let walked = Self.walkedWays(isHonest: false, 0..<500).filter { $0.machine.isEmpty }
        #expect(walked.isSubset(of: try Self.drawnWays()))
    }

    @Test func `the drawing of the session has all its ways and no other`() throws {
        let drawn = try Self.drawnWays()
        let walked = Self.walkedWays(isHonest: true, 0..<2_000)
        let missing = walked.subtracting(drawn).sorted()
        let untrodden = drawn.subtracting(walked).sorted()
        #expect(missing.isEmpty, "not drawn: \(missing.map(\.description))")
        #expect(untrodden.isEmpty, "drawn, and never taken")
    }

    private static func drawnWays() throws -> Set<SessionWay> {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return ways(
            in: try String(
                contentsOf: package.appending(path: "Documentation/Architecture.md"),
                encoding: .utf8))
    }

    /// Reads the ways of a Mermaid state diagram.
    private static func ways(in text: String) -> Set<SessionWay> {
        var ways: Set<SessionWay> = []
        var machine = ""
        let lines = text.split(separator: "\n").drop { !$0.hasPrefix("stateDiagram") }
        for line in lines.prefix(while: { !$0.hasPrefix("```") }) {
            let words = line.split(separator: " ").map(String.init)
            switch words.first {
            case "state": machine = words[1]
            case "}": machine = ""
            case let from? where words.count > 2 && words[1] == "-->":
                ways.insert(
                    SessionWay(
                        machine: machine, from: from,
                        to: words[2].trimmingCharacters(in: [":"])))
            default: break
            }
        }
        return ways
    }
}
