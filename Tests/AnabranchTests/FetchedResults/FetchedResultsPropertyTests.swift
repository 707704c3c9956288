import AnabranchStore
import Foundation
import TestSupport
import Testing

@testable import Anabranch

/// One context with followed results, and contexts that save to the same store.
private struct ResultsTrial {
    let graph: Graph
    let context: ManagedObjectContext
    let request: RandomRequest
    let results: FetchedResultsController<Person>
    let table = ResultsTable()
    var random: SeededGenerator
    var last: ReferenceResult
    private var steps: [String] = []
    private let stack: UndoStack?

    init(
        _ graph: Graph, _ context: ManagedObjectContext, seed: UInt64, isUndoing: Bool = false
    ) throws {
        stack = isUndoing ? UndoStack() : nil
        context.undoManager = stack
        self.graph = graph
        self.context = context
        random = SeededGenerator(seed: seed)
        request = RandomRequest(&random)
        for _ in 0..<Int.random(in: 0..<40, using: &random) {
            try RandomEditor(context: context).edit(&random)
        }
        if random.oneIn(2) { try context.save() }
        results = try request.results(in: context)
        results.delegate = table
        try results.performFetch()
        table.load(results)
        last = try ReferenceResult(request, context)
        #expect(table.sections == last.sections)
    }

    /// - Returns: Whether an event has ended, so that everything can be compared.
    mutating func step() throws -> Bool {
        let choice = Int.random(in: 0..<(stack == nil ? 24 : 30), using: &random)
        steps.append("\(choice)")
        switch choice {
        case ..<12:
            try RandomEditor(context: context).edit(&random)
            return false
        case ..<16: context.processPendingChanges()
        case 16, 17: try save()
        case 18: if random.oneIn(2) { context.rollback() } else { context.processPendingChanges() }
        case 19: try refresh()
        case 24...26: context.undo()
        case 27, 28: context.redo()
        case 29:
            context.mergePolicy =
                Policy.allCases[Int.random(in: Policy.allCases.indices, using: &random)].policy
            return false
        default: try mergeOthers()
        }
        return true
    }

    private func save() throws {
        do {
            try context.save()
        } catch is SaveConflictError {
            context.rollback()
        } catch is ValidationError {
            context.rollback()
        }
    }

    private mutating func refresh() throws {
        if random.oneIn(2) {
            try context.refreshAllObjects()
        } else if let object = context.updatedObjects.min(by: {
            $0.objectID.localID < $1.objectID.localID
        }) {
            try context.refresh(object, mergeChanges: random.oneIn(2))
        }
        context.processPendingChanges()
    }

    private mutating func mergeOthers() throws {
        let changes = try graph.changes { other in
            for _ in 0...Int.random(in: 0..<6, using: &random) {
                try RandomEditor(context: other).edit(&random)
            }
        }
        try context.mergeChanges(from: changes)
        context.processPendingChanges()
    }

    mutating func compare(_ place: String) throws {
        let now = try ReferenceResult(request, context)
        let place = Comment(
            rawValue: "\(place), after \(steps.suffix(12)), \(request)")
        #expect(table.mistakes == [], place)
        #expect(ResultsTable.read(results) == now.sections, place)
        #expect(table.sections == now.sections, place)
        // A fetch costs more than a followed change.
        if steps.count.isMultiple(of: 4) {
            #expect(try request.fetched(in: context) == now.sections, place)
        }
        for (id, values) in now.values {
            let before = last.values[id]
            #expect(before == nil || before == values || table.told.contains(id), place)
        }
        table.look()
        last = now
    }
}

@Suite struct `Fetched results against a reference table` {
    @Test(arguments: TestSupport.TestLength.seeds(300))
    func `the reports turn each result into the next, which equals a new fetch`(
        seed: UInt64
    ) throws {
        let graph = try Graph()
        try graph.inContext { context throws in
            var trial = try ResultsTrial(graph, context, seed: seed)
            for step in 0..<120 where try trial.step() {
                try trial.compare("seed \(seed), step \(step)")
            }
        }
    }

    @Test(arguments: TestSupport.TestLength.seeds(200))
    func `reports after undo, redo and merge policies turn each result into the next`(seed: UInt64)
        throws
    {
        let graph = try Graph()
        try graph.inContext { context throws in
            var trial = try ResultsTrial(graph, context, seed: seed, isUndoing: true)
            for step in 0..<120 where try trial.step() {
                try trial.compare("seed \(seed), step \(step)")
            }
        }
    }
}
