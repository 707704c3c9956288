import AnabranchModel
import AnabranchReplication
import AnabranchStore
import Foundation
import TestSupport
import Testing

/// Tests of SQL against the evaluation in memory and a naive evaluator, on random rows and random
/// predicates.
struct PredicateAgreementTests {
    @Test(arguments: TestLength.seeds(120))
    func `SQL and memory give the same answer`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let graph = try RandomGraph.make(&generator)
        let database = try SampleDatabase(graph)
        let thing = try #require(graph.model.entity(named: "Thing"))
        let subjects = graph.subjects(of: thing)
        var writer = RandomPredicate(graph: graph)
        let naive = NaiveEvaluator(graph)
        var answered = 0
        var judged = 0
        for _ in 0..<150 {
            let predicate = try writer.make(depth: 3, &generator)
            let resolved: ResolvedPredicate
            do {
                resolved = try database.withResultsOfFetches(in: predicate).resolved(for: thing)
            } catch let error as FetchPredicateError where error.code == .typeMismatch {
                continue
            }
            answered += 1
            let expected = try subjects.filter { try resolved.evaluate(with: $0) }.map(\.row.id)
            for subject in subjects {
                guard let holds = naive.holds(predicate, for: subject) else { continue }
                #expect(
                    holds == expected.contains(subject.row.id),
                    "\(subject.row.id): \(predicate) \(subject.row.values)")
                judged += 1
            }
            let found = try database.identifiers("Thing", resolved)
            #expect(found.sorted() == expected, "\(predicate)")
        }
        #expect(answered > 75 && judged > 1000)
    }

    @Test(arguments: TestLength.seeds(40))
    func `SQL and memory agree about held values`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let graph = try RandomGraph.make(&generator)
        let database = try SampleDatabase(graph)
        let thing = try #require(graph.model.entity(named: "Thing"))
        let writer = RandomPredicate(graph: graph)
        var (found, asked) = (0, 0)
        for _ in 0..<100 {
            let predicate = try writer.held(&generator)
            let resolved: ResolvedPredicate
            do {
                resolved = try predicate.resolved(for: thing)
            } catch {
                #expect(error.code == .typeMismatch, "\(predicate)")
                continue
            }
            asked += 1
            let expected = try graph.subjects(of: thing)
                .filter { try resolved.evaluate(with: $0) }.map(\.row.id)
            found += expected.isEmpty ? 0 : 1
            let ids = try database.identifiers("Thing", resolved).sorted()
            #expect(ids == expected, "\(predicate)")
        }
        #expect(asked > 50 && found > 20)
    }

    @Test func `every operator on texts agrees for every pair of texts`() throws {
        let graph = SampleGraph(try RandomGraph.model())
        let texts = RandomValue.texts + ["b", "ab", "\u{D7FF}x", "\u{10FFFF}\u{10FFFF}", "B", "*"]
        for (index, text) in texts.enumerated() {
            graph.insert("Thing", id: Int64(index + 1), ["s": .string(text), "p": .string("a")])
        }
        graph.insert("Thing", id: 100, [:])
        let database = try SampleDatabase(graph)
        let thing = try #require(graph.model.entity(named: "Thing"))
        let signs = ["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "==", "<", ">="]
        for sign in signs.flatMap({ sign in ["", "[c]", "[d]", "[cd]"].map { sign + $0 } }) {
            for text in texts + ["\u{D7FF}", "a*", "?", "\\*", "*b*"] {
                let predicate = try FetchPredicate("s \(sign) %@", text)
                let resolved = try predicate.resolved(for: thing)
                let expected = try graph.subjects(of: thing)
                    .filter { try resolved.evaluate(with: $0) }.map(\.row.id)
                let found = try database.identifiers("Thing", resolved).sorted()
                #expect(found == expected, "\(predicate)")
            }
        }
    }

    @Test(arguments: TestLength.seeds(40))
    func `SQL and memory sort alike`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let graph = try RandomGraph.make(&generator)
        let database = try SampleDatabase(graph)
        let thing = try #require(graph.model.entity(named: "Thing"))
        let keys =
            RandomPredicate.attributes.map(\.0)
            + ["parent.s", "mateOf.i", "children.@count", "parent.tags.@count", "SELF"]
        for key in keys {
            for isAscending in [true, false] {
                let options: ComparisonOptions = generator.oneIn(2) ? .caseInsensitive : []
                let sort = try FetchSort(key, ascending: isAscending, options: options)
                    .resolved(for: thing)
                let expected = try graph.subjects(of: thing).sorted { left, right in
                    switch try sort.order(left, right) {
                    case .less: true
                    case .greater: false
                    case .equal: left.row.id < right.row.id
                    }
                }
                let found = try database.identifiers("Thing", sorts: [sort])
                #expect(found == expected.map(\.row.id), "\(sort)")
            }
        }
    }

    @Test func `sub-entities are fetched with their parents unless excluded`() throws {
        var generator = SeededGenerator(seed: 1)
        let graph = try RandomGraph.make(&generator)
        let database = try SampleDatabase(graph)
        let special = try #require(graph.model.entity(named: "Special"))
        let specials = graph.subjects(of: special).map(\.row.id)
        let all = graph.rows.values.filter { $0.entity.root.name == "Thing" }.map(\.id)
        #expect(!specials.isEmpty && specials.count < all.count)
        #expect(try database.identifiers("Special").sorted() == specials)
        #expect(try database.identifiers("Thing").sorted() == all.sorted())
        let plain = try database.identifiers("Thing", includesSubentities: false)
        #expect(Set(plain) == Set(all).subtracting(specials))
    }
}
