import AnabranchModel
import AnabranchReplication
import Foundation
import TestSupport

/// Random objects with every type of attribute and every kind of relationship. Many values are
/// missing, and some references and links point to missing objects.
enum RandomGraph {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            EntityDeclaration("Thing") {
                AttributeDeclaration("i", .integer64)
                AttributeDeclaration("j", .integer16)
                AttributeDeclaration("d", .double)
                AttributeDeclaration("f", .float)
                AttributeDeclaration("m", .decimal)
                AttributeDeclaration("s", .string, searchable: TextSearch())
                AttributeDeclaration("p", .string, searchable: TextSearch())
                AttributeDeclaration("b", .boolean)
                AttributeDeclaration("t", .date)
                AttributeDeclaration("x", .binary)
                AttributeDeclaration("u", .uuid)
                AttributeDeclaration("r", .uri)
                for (name, type) in held { AttributeDeclaration(name, type, mergeRule: .keepBoth) }
                CompositeAttribute("home") {
                    AttributeDeclaration("town", .string, searchable: TextSearch())
                    AttributeDeclaration("zip", .integer32)
                    CompositeAttribute("spot") { AttributeDeclaration("x", .double) }
                }
                RelationshipDeclaration("parent", to: "Thing", inverse: "children")
                RelationshipDeclaration("children", toMany: "Thing", inverse: "parent")
                RelationshipDeclaration("mate", to: "Thing", inverse: "mateOf")
                RelationshipDeclaration("mateOf", to: "Thing", inverse: "mate")
                RelationshipDeclaration("friends", toMany: "Thing", inverse: "friends")
                RelationshipDeclaration("tags", toMany: "Tag", inverse: "things")
                RelationshipDeclaration("steps", toMany: "Thing", ordered: true, inverse: "stepOf")
                RelationshipDeclaration("stepOf", to: "Thing", inverse: "steps")
                RelationshipDeclaration("peers", toMany: "Thing", ordered: true, inverse: "peers")
                RelationshipDeclaration("queue", toMany: "Tag", ordered: true, inverse: "queuedIn")
            }
            EntityDeclaration("Special", parent: "Thing") { AttributeDeclaration("extra", .string) }
            EntityDeclaration("Tag") {
                AttributeDeclaration("label", .string)
                AttributeDeclaration("weight", .integer32)
                RelationshipDeclaration("things", toMany: "Thing", inverse: "tags")
                RelationshipDeclaration(
                    "queuedIn", toMany: "Thing", ordered: true, inverse: "queue")
            }
        }
    }

    /// The attributes that can hold several values.
    static let held: [(String, AttributeType)] = [
        ("ki", .integer32), ("kd", .double), ("km", .decimal), ("ks", .string), ("kb", .boolean),
        ("kt", .date), ("kx", .binary), ("ku", .uuid), ("kr", .uri),
    ]

    static let things: ClosedRange<Int64> = 1...24
    static let tags: ClosedRange<Int64> = 101...106

    static func make(_ generator: inout SeededGenerator) throws -> SampleGraph {
        let graph = SampleGraph(try model())
        for id in things {
            var values: [String: PropertyValue] = [:]
            for (name, type) in RandomPredicate.attributes + held where !generator.oneIn(4) {
                values[name] = RandomValue.stored(type, &generator)
            }
            for name in ["parent", "mate", "stepOf"] where !generator.oneIn(3) {
                // The last two numbers are not IDs of objects.
                values[name] = .integer(Int64.random(in: 1...26, using: &generator))
            }
            graph.insert(generator.oneIn(3) ? "Special" : "Thing", id: id, values)
        }
        for id in things {
            for (name, type) in held where generator.oneIn(2) {
                let values = (0..<Int.random(in: 1...2, using: &generator)).map { _ in
                    generator.oneIn(5) ? .null : RandomValue.stored(type, &generator)
                }
                graph.hold(values, of: name, at: id)
            }
        }
        for id in tags {
            graph.insert(
                "Tag", id: id,
                [
                    "label": RandomValue.stored(.string, &generator),
                    "weight": .integer(Int64.random(in: -1...2, using: &generator)),
                ])
        }
        try link(graph, &generator)
        return graph
    }

    private static func link(_ graph: SampleGraph, _ generator: inout SeededGenerator) throws {
        guard let thing = graph.model.entity(named: "Thing") else { return }
        for name in ["tags", "friends", "queue", "peers"] {
            guard let relationship = thing.property(named: name)?.relationship else { continue }
            for _ in 0..<20 {
                let owner = Int64.random(in: 1...25, using: &generator)
                if relationship.destination == thing {
                    let other = Int64.random(in: 1...25, using: &generator)
                    graph.link(relationship, left: min(owner, other), right: max(owner, other))
                } else {
                    let tag = Int64.random(in: 101...107, using: &generator)
                    let isLeft = relationship.storage == .links(.left)
                    graph.link(
                        relationship, left: isLeft ? owner : tag, right: isLeft ? tag : owner)
                }
            }
        }
        try position(graph, &generator)
    }

    /// Gives most elements of lists a position. Some positions are those of several elements.
    private static func position(
        _ graph: SampleGraph, _ generator: inout SeededGenerator
    ) throws {
        for row in graph.rows.values.sorted(by: { $0.id < $1.id }) {
            for relationship in row.entity.relationships where relationship.isOrdered {
                for element in graph.content(of: relationship, at: row.id).map(\.row.id)
                where !generator.oneIn(5) {
                    graph.position(
                        SampleGraph.ListElement(
                            relationship: relationship, owner: row.id, element: element),
                        at: Int64.random(in: 0...9, using: &generator))
                }
            }
        }
    }
}

enum RandomValue {
    private static let integers: [Int64] = [
        -1, 0, 1, 2, 17, .max, .min, 9_007_199_254_740_993,
    ]
    private static let doubles: [Double] = [
        -1, -0.0, 0, 1, 1.5, 0.1, 17, 9_007_199_254_740_992, .infinity, -.infinity, .nan, 1e300,
    ]
    static let texts = [
        "", "a", "A", "á", "a\u{301}", "Á", "abc", "ABC", "a*c", "b?c", "straße", "STRASSE", "𐀀",
        "\u{E000}", "\u{10FFFF}", "a\u{0}b", "abcabc", "q'uote\"", "c",
    ]
    private static let decimals = ["0", "-1", "1", "1.5", "19.99", "1e30", "17", "-0.1"]

    static func stored(_ type: AttributeType, _ generator: inout SeededGenerator) -> PropertyValue {
        func pick<T>(_ values: [T], _ fallback: T) -> T {
            values.randomElement(using: &generator) ?? fallback
        }
        switch type {
        case .integer16, .integer32: return .integer(Int64.random(in: -2...18, using: &generator))
        case .integer64: return .integer(pick(integers, 0))
        case .double: return .double(pick(doubles, 0))
        case .float: return .double(Double(Float(pick([-1, 0, 0.1, 1.5, 17], 0))))
        case .decimal: return .decimal(ExactDecimal(pick(decimals, "0")) ?? .zero)
        case .string: return .string(pick(texts, ""))
        case .uri: return .uri(pick(["a:b", "http://x/", "abc"], ""))
        case .boolean: return .bool(generator.oneIn(2))
        case .date: return .date(pick([-1, 0, 0.1, 1e9, .nan], 0))
        case .binary, .transformable: return .data(Data(pick([[], [0], [0, 1], [255]], [])))
        case .uuid:
            return .uuid(
                UUID(uuid: (0, 0, 0, pick([1, 2, 200], 1), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9)))
        case .undefined: return .null
        }
    }

    /// Returns a value of the type, or sometimes of a comparable type, or null.
    static func constant(_ type: AttributeType, _ generator: inout SeededGenerator) -> PropertyValue
    {
        if generator.oneIn(10) { return .null }
        guard type.isNumeric, generator.oneIn(2) else { return stored(type, &generator) }
        let other: [AttributeType] = [.integer16, .integer64, .double, .decimal]
        let value = stored(other.randomElement(using: &generator) ?? .double, &generator)
        if case .bool(let flag) = value { return .integer(flag ? 1 : 0) }
        return value
    }
}
