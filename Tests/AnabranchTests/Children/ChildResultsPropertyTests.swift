import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import Anabranch

/// A context at the end of a chain of contexts, with followed results, while every context above
/// has unsaved changes.
private struct ChildTrial {
    private let graph: Graph
    /// The contexts from the root on.
    private var contexts: [ManagedObjectContext]
    private let request: RandomRequest
    private var random: SeededGenerator
    private let table = ResultsTable()
    private var steps: [String] = []

    init(_ graph: Graph, _ root: ManagedObjectContext, seed: UInt64) throws {
        self.graph = graph
        random = SeededGenerator(seed: seed)
        request = RandomRequest(&random)
        contexts = [root]
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            contexts.append(contexts[contexts.count - 1].newChildContext())
        }
        for _ in 0..<30 { try RandomEditor(context: root).edit(&random) }
        try root.save()
    }

    /// Edits every context and compares what the youngest reports, until its result is no longer
    /// determined.
    mutating func run(_ name: String) throws {
        for context in contexts {
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                try RandomEditor(context: context).edit(&random)
            }
            context.processPendingChanges()
        }
        let child = contexts[contexts.count - 1]
        let results = try request.results(in: child)
        results.delegate = table
        try results.performFetch()
        table.load(results)
        for step in 0..<40 {
            guard try take(child) else { return }
            child.processPendingChanges()
            let truth = try ReferenceResult(request, child)
            let place = Comment(
                rawValue: "\(name), step \(step), after \(steps.suffix(12)), \(request)")
            #expect(table.mistakes == [], place)
            #expect(ResultsTable.read(results) == truth.sections, place)
            #expect(table.sections == truth.sections, place)
            #expect(try request.fetched(in: child) == truth.sections, place)
        }
    }

    /// - Returns: Whether the change has reached every context.
    private mutating func take(_ child: ManagedObjectContext) throws -> Bool {
        let choice = Int.random(in: 0..<20, using: &random)
        steps.append("\(choice)")
        do {
            switch choice {
            case 0, 1, 2: try child.save()
            case 3: for context in contexts.reversed() { try context.save() }
            case 4: child.rollback()
            case 5: try child.refreshAllObjects()
            case 6: try mergeOthers()
            default: try RandomEditor(context: child).edit(&random)
            }
        } catch is SaveConflictError {
            return false
        } catch is ValidationError {
            return false
        } catch is StoreError {
            return false
        }
        return true
    }

    private mutating func mergeOthers() throws {
        let changes = try graph.changes { other in
            for _ in 0...Int.random(in: 0..<6, using: &random) {
                try RandomEditor(context: other).edit(&random)
            }
        }
        for context in contexts { try context.mergeChanges(from: changes) }
    }
}

@Suite struct `Fetched results below unsaved changes` {
    @Test(arguments: TestLength.seeds(200))
    func `equal a new fetch and a check of every object`(seed: UInt64) throws {
        let graph = try Graph()
        try graph.inContext { root throws in
            var trial = try ChildTrial(graph, root, seed: seed)
            try trial.run("seed \(seed)")
        }
    }
}
