import AnabranchModel
import AnabranchReplication
import AnabranchStore
import TestSupport
import Testing

/// Tests that a predicate is refused before SQLite sees it exactly if SQLite can't read it.
struct PredicateLimitTests {
    private let database: SampleDatabase
    private let node: EntityDescription

    init() throws {
        let model = try ManagedObjectModel {
            EntityDeclaration("Node") {
                AttributeDeclaration("name", .string)
                AttributeDeclaration("size", .integer64)
                AttributeDeclaration("key", .uuid)
                AttributeDeclaration("note", .string, mergeRule: .keepBoth)
                AttributeDeclaration(
                    "mark", .decimal, optional: false, default: 1, mergeRule: .keepBoth)
                RelationshipDeclaration("parent", to: "Node", inverse: "children")
                RelationshipDeclaration("children", toMany: "Node", inverse: "parent")
                RelationshipDeclaration("friends", toMany: "Node", inverse: "friends")
                RelationshipDeclaration("likes", toMany: "Node", inverse: "likedBy")
                RelationshipDeclaration("likedBy", toMany: "Node", inverse: "likes")
                RelationshipDeclaration("twin", to: "Node", inverse: "original")
                RelationshipDeclaration("original", to: "Node", inverse: "twin")
            }
        }
        let graph = SampleGraph(model)
        graph.insert("Node", id: 1, ["name": .string("a"), "parent": .integer(1)])
        database = try SampleDatabase(graph)
        node = try #require(database.graph.model.entity(named: "Node"))
    }

    /// - Returns: The error, or `nil` if SQLite has read and run the statement.
    private func refusal(_ format: String) throws -> FetchPredicateError? {
        try refusal(FetchPredicate(format).resolved(for: node))
    }

    private func refusal(_ predicate: ResolvedPredicate) throws -> FetchPredicateError? {
        var refusals: [FetchPredicateError?] = []
        for (selection, limit) in [(FetchStatement.Selection.identifiers, nil), (.count, 3)] {
            do {
                _ = try database.run(
                    database.statement("Node", predicate, limit: limit, selecting: selection))
                refusals.append(nil)
            } catch let error as FetchPredicateError {
                refusals.append(error)
            }
        }
        #expect(refusals[0] == refusals[1])
        return refusals[0]
    }

    private func path(_ keys: [String], _ count: Int, _ end: String) -> String {
        ((0..<count).map { keys[$0 % keys.count] } + [end]).joined(separator: ".")
    }

    @Test(arguments: ["friends", "children", "likes"])
    func `seven to-many steps nest, and too many name the step`(_ key: String) throws {
        for quantifier in ["ANY", "ALL", "NONE"] {
            #expect(try refusal("\(quantifier) \(path([key], 7, "size")) > 1") == nil)
        }
        let error = try #require(try refusal("ANY \(path([key], 9, "size")) > 1"))
        #expect(error.code == .tooComplex)
        #expect(error.entity == "Node")
        #expect(error.key == key)
        #expect(error.message.contains("100 levels"))
    }

    @Test func `sixty-three to-one relationships are joined, and one more is named`() throws {
        #expect(try refusal("\(path(["parent"], 63, "name")) == 'a'") == nil)
        let error = try #require(try refusal("\(path(["parent"], 64, "name")) == 'a'"))
        #expect(error.code == .tooComplex)
        #expect(error.key == "parent")
        #expect(error.message.contains("64 tables"))
        #expect(try refusal("ANY \(path(["friends"], 1, path(["parent"], 63, "size"))) > 1") == nil)
        #expect(try refusal("ANY likes.\(path(["parent"], 62, "size")) > 1") == nil)
        #expect(try refusal("ANY likes.\(path(["parent"], 63, "size")) > 1")?.code == .tooComplex)
        let sort = try FetchSort(path(["parent"], 64, "name")).resolved(for: node)
        #expect(throws: FetchPredicateError.self) {
            try database.statement("Node", sorts: [sort])
        }
    }

    @Test func `nested subqueries and conditions have an end too`() throws {
        func subqueries(_ count: Int) -> String {
            (0..<count).reversed().reduce("size > 1") { inner, level in
                let owner = level == 0 ? "children" : "$v\(level - 1).children"
                let inner = inner == "size > 1" ? "$v\(level).size > 1" : inner
                return "SUBQUERY(\(owner), $v\(level), \(inner)).@count > 0"
            }
        }
        #expect(try refusal(subqueries(7)) == nil)
        #expect(try refusal(subqueries(12))?.code == .tooComplex)
        func chain(_ count: Int) -> String {
            (0..<count).reduce("name ENDSWITH[c] 'a'") { inner, level in
                "size == \(level) \(level % 2 == 0 ? "AND" : "OR") (\(inner))"
            }
        }
        #expect(try refusal(chain(20)) == nil)
        #expect(try refusal(chain(40))?.code == .tooComplex)
    }

    @Test(.long) func `more values than SQLite binds are refused`() throws {
        func chain(_ count: Int) -> String {
            (0..<count).map { "size == \($0)" }.joined(separator: " OR ")
        }
        let error = try #require(try refusal(chain(40_000)))
        #expect(error.code == .tooManyValues)
        #expect(error.message.contains("32764"))
    }

    /// Constructs are nested until there are too many: SQLite must read whatever is not refused.
    @Test(arguments: TestLength.seeds(1200))
    func `SQLite can read every predicate that is accepted`(_ seed: UInt64) throws {
        for depth in 1...100 {
            var generator = SeededGenerator(seed: seed)
            var format = NestedFormat(&generator)
            for level in 0..<depth { format.nest(level, &generator) }
            // If there are only brackets, the limit of the format is reached first.
            guard let predicate = try? FetchPredicate(format.finished(&generator)),
                try refusal(predicate.resolved(for: node)) == nil
            else {
                #expect(depth > 3)
                return
            }
        }
        Issue.record("A predicate of 100 levels was accepted.")
    }
}

private struct NestedFormat {
    private let kindCount: Int
    private var start = ""
    private var end = ""
    /// The prefix of keys: the variable of the innermost SUBQUERY.
    private var owner = ""

    init(_ generator: inout SeededGenerator) { kindCount = .random(in: 1...10, using: &generator) }

    mutating func nest(_ level: Int, _ generator: inout SeededGenerator) {
        switch Int.random(in: 0..<kindCount, using: &generator) {
        case 0:
            let collections = ["children", "friends", "likes", "twin.friends", "original.children"]
            let collection = collections[Int.random(in: 0..<5, using: &generator)]
            let isMirrored = Bool.random(using: &generator)
            start += isMirrored ? "1 <= " : ""
            start += "SUBQUERY(\(owner)\(collection), $v\(level), "
            end = ").@count" + (isMirrored ? "" : " > 0") + end
            owner = "$v\(level)."
        case 1: wrap("(\(owner)size == 7 OR ", ")")
        case 2: wrap("NOT (", ")")
        case 3: wrap("(\(owner)name LIKE 'a*' AND ", ")")
        case 4: wrap("(", " AND \(owner)parent.size == 2)")
        case 5: wrap("abs(TERNARY(", ", \(owner)size, 2)) == 1")
        case 6: wrap("\(owner)size - TERNARY(", ", 1, \(owner)size) == 2")
        case 7: wrap("max({\(owner)size, TERNARY(", ", 2 * \(owner)size, 1)}) > 1")
        case 8: wrap("TERNARY(", ", \(owner)name, lowercase(\(owner)name)) ==[c] 'a'")
        default: wrap("((\(owner)size == 7 OR \(owner)twin.name == 'b') AND ", ")")
        }
    }

    private mutating func wrap(_ before: String, _ after: String) {
        start += before
        end = after + end
    }

    func finished(_ generator: inout SeededGenerator) -> String {
        let keys = (10..<30).map { "'00000000-0000-0000-0000-0000000000\($0)'" }
        let leaves = [
            "\(owner)size == 1", "\(owner)name == nil", "\(owner)key != nil",
            "\(owner)name ENDSWITH[cd] \(owner)original.name",
            "\(owner)key IN { \(keys.joined(separator: ", ")), nil }",
            "\(owner)children.@count IN { 1, 2, nil }", "3 < \(owner)twin.friends.@count",
            "\(owner)children.@sum.size == \(owner)likes.friends.@max.size",
            "ANY \(owner)note ENDSWITH[c] 'a'", "ALL \(owner)likes.mark IN { 1, nil }",
            "\(owner)twin.mark.@count IN { 1, nil }", "NONE \(owner)mark == \(owner)twin.size",
            "ANY \(owner)friends.twin.size > 1", "ALL \(owner)likes.name CONTAINS[c] 'a'",
        ]
        return start + leaves[Int.random(in: 0..<leaves.count, using: &generator)] + end
    }
}
