import AnabranchModel
import AnabranchReplication
import Foundation

/// The evaluated object, the variables and the objects around them.
struct NaiveScope {
    let graph: SampleGraph
    let subject: NaiveCell
    var variables: [String: NaiveCell] = [:]

    init(graph: SampleGraph, subject: NaiveCell) {
        self.graph = graph
        self.subject = subject
    }

    func truth(of predicate: FetchPredicate) throws -> Bool {
        switch predicate {
        case .constant(let flag): return flag
        case .comparison(let comparison): return try truth(of: comparison)
        case .conjunction(let parts):
            return try parts.map { try truth(of: $0) }.allSatisfy { $0 }
        case .disjunction(let parts): return try parts.map { try truth(of: $0) }.contains(true)
        case .negation(let inner): return try !truth(of: inner)
        }
    }

    func truth(of comparison: PredicateComparison) throws -> Bool {
        let left = try cell(comparison.left)
        let right = try cell(comparison.right)
        if comparison.options == .search { return try finds(left, right) }
        let folding = try NaiveFolding(comparison.options)
        guard let quantifier = comparison.quantifier else {
            return try left.compares(comparison.operator, right, folding)
        }
        let lefts = try elements(of: left, isQuantified: right.isCollection)
        let rights = try partners(right, of: comparison)
        var results: [Bool] = []
        for left in lefts {
            for right in rights {
                results.append(try left.compares(comparison.operator, right, folding))
            }
        }
        switch quantifier {
        case .any: return results.contains(true)
        case .all: return !results.contains(false)
        case .none: return !results.contains(true)
        }
    }

    func elements(of left: NaiveCell, isQuantified: Bool) throws -> [NaiveCell] {
        switch left.value {
        case .collection(let elements): return elements.cells
        case .missingCollection: return []
        default:
            // The quantifier is about the other side then.
            guard isQuantified else { throw NaiveDoubt() }
            return [left]
        }
    }

    func partners(
        _ right: NaiveCell, of comparison: PredicateComparison
    ) throws -> [NaiveCell] {
        if comparison.operator == .isIn || comparison.operator == .between { return [right] }
        guard right.isCollection else { return [right] }
        guard comparison.quantifier != .all else { throw NaiveDoubt() }
        return try elements(of: right, isQuantified: true)
    }
}
