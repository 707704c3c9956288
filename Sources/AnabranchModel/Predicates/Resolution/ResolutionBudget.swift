/// The number of comparisons and computed values that a predicate may still grow to.
///
/// A part of a predicate is resolved once for each collection that a UNION joins before it. So a
/// short format with such parts inside each other stands for a predicate of any size.
final class ResolutionBudget {
    static let greatestCount = 100_000

    private var spent = 0

    /// - Returns: False if nothing is left.
    func spend() -> Bool {
        spent += 1
        return spent <= Self.greatestCount
    }
}
