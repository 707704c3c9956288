package import AnabranchModel
import AnabranchReplication
import Foundation

/// A second evaluator of predicates, which shares no code with the library's.
///
/// It walks the tree with the plainest means: arrays of values and loops. It does not know every
/// construct, and it refuses to answer where a rule leaves the last bit of a number open.
package struct NaiveEvaluator {
    let graph: SampleGraph

    /// Creates an evaluator of predicates on the objects of a graph.
    package init(_ graph: SampleGraph) { self.graph = graph }

    /// Returns true if an object satisfies a predicate; `nil` if this evaluator does not know the
    /// construct, or the types do not fit.
    package func holds(_ predicate: FetchPredicate, for subject: SampleSubject) -> Bool? {
        let scope = NaiveScope(graph: graph, subject: .object(subject.row.id))
        return try? scope.truth(of: predicate)
    }
}

/// Thrown where the evaluator does not know the answer.
struct NaiveDoubt: Error {}
